attribute vec2 a_corner;

void main() {
    gl_Position = vec4(a_corner, 0.0, 1.0);
}
