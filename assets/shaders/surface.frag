varying vec3 v_facing;
varying vec2 v_number;

void main() {
    gl_FragColor = vec4(normalize(v_facing).xy * 0.5 + 0.5, v_number);
}
