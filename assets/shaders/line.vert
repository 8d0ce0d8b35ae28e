// Straight lines of a constant width in pixels, one instance each.
attribute vec2 a_corner;  // x: 0 or 1, which end; y: -1 or 1, which side
attribute vec3 i_from;
attribute vec3 i_to;
uniform mat4 u_view_projection;
uniform vec2 u_pixel;
uniform float u_width;
varying float v_side;
varying float v_along;
varying float v_length;

void main() {
    vec4 a = u_view_projection * vec4(i_from, 1.0);
    vec4 b = u_view_projection * vec4(i_to, 1.0);
    float near = 1e-4;
    if (a.w < near) a = mix(b, a, (b.w - near) / max(b.w - a.w, 1e-9));
    if (b.w < near) b = mix(a, b, (a.w - near) / max(a.w - b.w, 1e-9));
    vec2 along = (b.xy / b.w - a.xy / a.w) / u_pixel;
    float reach = length(along);
    along = reach > 1e-6 ? along / reach : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x);
    float half_width = 0.5 * u_width + 1.0;
    vec4 at = a_corner.x < 0.5 ? a : b;
    float past = (a_corner.x * 2.0 - 1.0) * half_width;
    at.xy += (across * a_corner.y * half_width + along * past) * u_pixel * at.w;
    v_side = a_corner.y * half_width;
    v_length = 0.5 * reach;
    v_along = (a_corner.x - 0.5) * reach + past;
    gl_Position = at;
}
