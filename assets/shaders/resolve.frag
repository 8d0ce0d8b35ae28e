// Four samples to a pixel: a picture drawn at twice its size is averaged.
varying vec2 v_at;
uniform sampler2D u_picture;

void main() {
    gl_FragColor = vec4(texture2D(u_picture, v_at).rgb, 1.0);
}
