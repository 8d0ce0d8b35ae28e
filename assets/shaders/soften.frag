// Averages the openness over four by four places of one surface.
#include "facts.glsl"
uniform sampler2D u_open;
uniform vec2 u_half_texel;  // one pixel of `u_open`
uniform float u_reach;

void main() {
    vec2 cell = floor(gl_FragCoord.xy);
    vec2 here = (cell * 2.0 + 0.5) * u_texel;
    vec3 at = point_at(here);
    vec3 normal = normal_of(texture2D(u_facts, here));
    float sum = 0.0, weight = 1e-4;
    for (int y = -2; y < 2; y++) {
        for (int x = -2; x < 2; x++) {
            vec2 other = cell + vec2(float(x), float(y));
            float off = abs(dot(point_at((other * 2.0 + 0.5) * u_texel) - at, normal));
            float w = clamp(1.0 - 5.0 * off / u_reach, 0.0, 1.0) + 1e-5;
            sum += w * texture2D(u_open, (other + 0.5) * u_half_texel).r;
            weight += w;
        }
    }
    gl_FragColor = vec4((sum + 1e-4) / weight);
}
