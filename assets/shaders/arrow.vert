// Arrows of constant thickness in pixels, one instance each: a shaft and a cone about the line from i_from along i_vector.
attribute vec3 a_position;  // x, y across in units of the shaft's radius; z: 0 tail, 1 neck, 2 tip
attribute vec3 a_normal;
attribute vec3 i_from;
attribute vec3 i_vector;
#ifdef TINTED
attribute vec3 i_tint;
varying vec3 v_tint;
#endif
uniform mat4 u_view_projection;
uniform vec3 u_eye;
uniform vec3 u_gaze;
uniform float u_slope;  // metres a pixel at a depth of one metre
uniform float u_radius; // of the shaft, pixels
varying vec3 v_normal;

void main() {
    float reach = length(i_vector);
    vec3 axis = reach > 0.0 ? i_vector / reach : vec3(0.0, 0.0, 1.0);
    vec3 side = normalize(cross(axis, abs(axis.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0)));
    vec3 other = cross(axis, side);
    float pixel = u_slope * max(dot(i_from - u_eye, u_gaze), 1e-6);
    float head = min(9.0 * u_radius * pixel, 0.6 * reach);
    float radius = min(u_radius * pixel, 0.12 * reach);
    float along = a_position.z < 0.5 ? 0.0 : (a_position.z < 1.5 ? reach - head : reach);
    vec3 world = i_from + axis * along + (side * a_position.x + other * a_position.y) * radius;
    v_normal = side * a_normal.x + other * a_normal.y + axis * a_normal.z;
#ifdef TINTED
    v_tint = i_tint;
#endif
    gl_Position = u_view_projection * vec4(world, 1.0);
}
