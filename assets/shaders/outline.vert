// The hull of a body, pushed out by some pixels along `a_outward`, the mean normal of each corner.
attribute vec3 a_position;
attribute vec3 a_outward;
attribute vec3 i_place;
attribute vec4 i_turn;
attribute vec3 i_scale;
uniform mat4 u_view_projection;
uniform vec2 u_pixel;  // one pixel in clip units
uniform float u_width;
#include "turn.glsl"

void main() {
    vec4 at = u_view_projection * vec4(i_place + turn(i_turn, a_position * i_scale), 1.0);
    vec4 away = u_view_projection * vec4(turn(i_turn, a_outward / i_scale), 0.0);
    vec2 side = (away.xy * at.w - at.xy * away.w) / u_pixel;
    side /= max(length(side), 1e-12);
    at.xy += side * u_pixel * u_width * at.w;
    gl_Position = at;
}
