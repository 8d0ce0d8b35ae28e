// SHADOWS is the number of filtered comparisons a point: 1, 4 or 9.
#ifdef SHADOWS
uniform sampler2DShadow u_shadow_map;
uniform mat4 u_shadow_matrix;
uniform float u_shadow_texel;  // of the map, in its coordinates
uniform float u_shadow_shift;  // along the normal, metres: keeps a surface from shadowing itself
uniform vec4 u_shadow_box;     // low and high corner of what casts, in the map's coordinates
uniform float u_shadow_depth;  // how much of the lamp a shadow takes

float tap(vec3 at, float x, float y) {
    return shadow2D(u_shadow_map, at + vec3(x, y, 0.0) * u_shadow_texel).r;
}

// Share of the lamp that reaches a point.
float lamp_share(vec3 world, vec3 normal) {
    float shift = u_shadow_shift * (2.2 - 1.6 * dot(normal, u_lamp));
    vec3 at = (u_shadow_matrix * vec4(world + normal * shift, 1.0)).xyz * 0.5 + 0.5;
    // Most of the ground is nowhere near a shadow: four comparisons tell.
    if (any(lessThan(at.xy, u_shadow_box.xy)) || any(greaterThan(at.xy, u_shadow_box.zw))) return 1.0;
    float sum;
#if SHADOWS == 1
    sum = tap(at, 0.0, 0.0);
#elif SHADOWS == 4
    // Four taps turned against the grid of texels: as wide as nine, at less than half the cost.
    sum = tap(at, -0.95, -0.32) + tap(at, 0.32, -0.95) + tap(at, 0.95, 0.32) + tap(at, -0.32, 0.95);
    sum *= 0.25;
#else
    sum = 4.0 * tap(at, 0.0, 0.0);
    sum += 2.0 * (tap(at, 1.0, 0.0) + tap(at, -1.0, 0.0) + tap(at, 0.0, 1.0) + tap(at, 0.0, -1.0));
    sum += tap(at, 1.0, 1.0) + tap(at, -1.0, 1.0) + tap(at, 1.0, -1.0) + tap(at, -1.0, -1.0);
    sum /= 16.0;
#endif
    vec2 off = abs(at.xy - 0.5);
    float inside = 1.0 - smoothstep(0.46, 0.5, max(off.x, off.y));
    return mix(1.0, sum, inside * u_shadow_depth);
}
#else
float lamp_share(vec3 world, vec3 normal) { return 1.0; }
#endif
