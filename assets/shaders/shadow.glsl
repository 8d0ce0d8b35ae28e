// SHADOWS is the number of filtered comparisons a point: 1, 4 or 9 in a square, more on a disc as wide as the penumbra.
#ifdef SHADOWS
uniform sampler2DShadow u_shadow_map;
uniform mat4 u_shadow_matrix;
uniform float u_shadow_texel;  // of the map, in its coordinates
uniform float u_shadow_shift;  // along the normal, metres: keeps a surface from shadowing itself
uniform vec4 u_shadow_box;     // low and high corner of what casts, in the map's coordinates
uniform float u_shadow_depth;  // how much of the lamp a shadow takes

#if SHADOWS > 9
uniform sampler2D u_shadow_depths;  // what the map holds, to be read as it is
uniform float u_shadow_spread;      // half a penumbra's width by the depth between what casts and what receives
uniform float u_shadow_widest;      // half of the widest penumbra; these two in the map's coordinates
uniform float u_shadow_squeeze;     // square of how much finer the map's depth is than its sides
#define SEARCHED 16
const mat2 GOLDEN = mat2(-0.737369, 0.675490, -0.675490, -0.737369);  // a turn of 2.39996 radians

// How wide the penumbra is here: what casts is looked for on a disc; it gives the distance, and that the width
// (Fernando 2005). The surface goes on as its normal says, so that it does not shadow itself.
float soft_share(vec3 at, vec2 slope) {
    float noise = 6.2832 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    vec2 start = vec2(cos(noise), sin(noise));
    vec2 way = start;
    float gap = 0.0, found = 0.0;
    for (int k = 0; k < SEARCHED; k++) {
        float share = (float(k) + 0.5) / float(SEARCHED);
        vec2 off = way * (share * share * u_shadow_widest);  // densest in the middle: small things have small shadows
        float above = at.z + dot(slope, off) - texture2D(u_shadow_depths, at.xy + off).r;
        if (above > 0.0) { gap += above; found += 1.0; }
        way = GOLDEN * way;
    }
    if (found == 0.0) return 1.0;
    float width = clamp(gap / found * u_shadow_spread, 1.5 * u_shadow_texel, u_shadow_widest);
    float sum = 0.0;
    way = start;
    for (int k = 0; k < SHADOWS; k++) {
        vec2 off = way * (sqrt((float(k) + 0.5) / float(SHADOWS)) * width);
        sum += shadow2D(u_shadow_map, vec3(at.xy + off, at.z + dot(slope, off))).r;
        way = GOLDEN * way;
    }
    return sum / float(SHADOWS);
}
#endif

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
#elif SHADOWS > 9
    vec3 side = (u_shadow_matrix * vec4(normal, 0.0)).xyz;
    vec2 slope = side.xy * (-u_shadow_squeeze / min(side.z, -1e-6));
    slope *= min(1.0, 5.0 * sqrt(u_shadow_squeeze) / max(length(slope), 1e-9));
    sum = soft_share(at, slope);
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
