// A plane as facts about what the camera sees; (1, 1) is the number of all planes.
uniform mat4 u_view;
uniform vec3 u_normal;

void main() {
    gl_FragColor = vec4((u_view * vec4(u_normal, 0.0)).xy * 0.5 + 0.5, 1.0, 1.0);
}
