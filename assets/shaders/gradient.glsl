// The picture's background, in stored colours.
uniform vec3 u_top;
uniform vec3 u_bottom;
uniform vec3 u_glow;
uniform vec2 u_pixel;  // one pixel in clip units

vec3 background() {
    vec2 at = gl_FragCoord.xy * u_pixel * 0.5;
    vec2 off = (at - vec2(0.5, 0.60)) * vec2(1.5, 2.0);
    return mix(u_bottom, u_top, smoothstep(0.0, 1.0, at.y)) + u_glow / (1.0 + 3.0 * dot(off, off));
}
