varying vec2 v_at;
#include "gradient.glsl"
#include "noise.glsl"

void main() {
    gl_FragColor = vec4(dither(background()), 1.0);
}
