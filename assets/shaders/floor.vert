// A plane without end, or the grid of an empty scene: a large square about the point that the camera looks at.
attribute vec2 a_corner;
uniform vec3 u_origin;
uniform vec3 u_axis_x;
uniform vec3 u_axis_y;
uniform vec2 u_centre;  // of the square, in the plane's coordinates
uniform float u_reach;
uniform mat4 u_view_projection;
varying vec2 v_plane;
varying vec3 v_world;

void main() {
    v_plane = u_centre + a_corner * u_reach;
    v_world = u_origin + u_axis_x * v_plane.x + u_axis_y * v_plane.y;
    gl_Position = u_view_projection * vec4(v_world, 1.0);
}
