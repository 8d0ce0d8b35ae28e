attribute vec2 a_corner;
varying vec2 v_at;

void main() {
    v_at = a_corner * 0.5 + 0.5;
    gl_Position = vec4(a_corner, 1.0, 1.0);
}
