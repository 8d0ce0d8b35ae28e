varying float v_side;
varying float v_along;
varying float v_length;
uniform vec4 u_colour;
uniform float u_width;

void main() {
    float past = max(abs(v_along) - v_length, 0.0);
    float away = length(vec2(v_side, past));
    float cover = clamp(0.5 * u_width + 0.5 - away, 0.0, 1.0);
    if (cover <= 0.0) discard;
    gl_FragColor = vec4(u_colour.rgb, u_colour.a * cover);
}
