// Materials by their place in MATERIAL_LOOKS: 1 gloss, 2 metal, 3 wood, 4 felt, 5 glass, 6 rubber. All in linear light.
// Microfacets (GGX, Schlick's Fresnel) for the lamp; a small studio of sky, ground and soft boxes is what they reflect.
uniform vec3 u_studio;  // light of the soft boxes
uniform vec3 u_ground;  // light of the ground that things stand on

// How much of a soft box about the axis is seen along d; `soft` blurs its rim.
float soft_box(vec3 d, vec3 axis, vec3 right, vec2 size, float soft) {
    float ahead = dot(d, axis);
    vec2 at = abs(vec2(dot(d, right), dot(d, cross(axis, right)))) / max(ahead, 1e-3);
    vec2 inside = smoothstep(size + soft, max(size - soft, 0.0), at);
    return ahead > 0.0 ? inside.x * inside.y : 0.0;
}

vec3 environment(vec3 d, float rough) {
    float soft = 0.03 + 0.9 * rough * rough + 0.25 * rough;
    float blur = 0.04 + 0.8 * rough;
    float up = smoothstep(-blur, blur, d.z);
    vec3 ground = u_ground * (0.55 + 0.45 * smoothstep(-1.0, 0.0, d.z));  // darker below: their own shadow
    vec3 sky = u_sky * (0.85 + 0.75 * smoothstep(0.0, 1.0, d.z));
    float boxes = 1.6 * soft_box(d, u_lamp, normalize(cross(u_lamp, vec3(0.0, 0.0, 1.0))), vec2(0.45, 0.30), soft);
    boxes += 0.9 * soft_box(d, vec3(0.80, -0.36, 0.48), vec3(0.41, 0.91, 0.0), vec2(0.16, 0.55), soft);
    boxes += 0.7 * soft_box(d, vec3(0.28, 0.86, 0.42), vec3(0.95, -0.31, 0.0), vec2(0.90, 0.10), soft);
    return mix(ground, sky, up) + u_studio * (boxes / (1.0 + 3.0 * rough));
}

// Share of the surroundings that a rough surface reflects towards the eye (Lazarov 2013, Karis 2014).
vec3 mirrored(vec3 front, float rough, float facing) {
    vec4 r = rough * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
    float a = min(r.x * r.x, exp2(-9.28 * facing)) * r.x + r.y;
    vec2 ab = vec2(-1.04, 1.04) * a + r.zw;
    return front * ab.x + ab.y;
}

// The lamp's own highlight, times pi as the lamp's light is said for a matt surface.
vec3 highlight(vec3 front, float rough, vec3 normal, vec3 gaze, float lit, float facing) {
    vec3 middle = normalize(u_lamp + gaze);
    float a = rough * rough;
    float a2 = a * a;
    float nh = max(dot(normal, middle), 0.0);
    float spread = nh * nh * (a2 - 1.0) + 1.0;
    float shade = lit * sqrt(facing * facing * (1.0 - a2) + a2) + facing * sqrt(lit * lit * (1.0 - a2) + a2);
    float away = 1.0 - max(dot(gaze, middle), 0.0);
    float away2 = away * away;
    vec3 fresnel = front + (1.0 - front) * (away2 * away2 * away);
    return fresnel * (0.5 * a2 / (spread * spread * max(shade, 1e-3)) * lit);
}

#if LOOK == 3
float hash(vec3 p) {
    p = fract(p * vec3(0.1031, 0.1030, 0.0973));
    p += dot(p, p.yxz + 33.33);
    return fract((p.x + p.y) * p.z);
}

float noise(vec3 p) {
    vec3 cell = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    vec2 o = vec2(0.0, 1.0);
    vec4 low = vec4(hash(cell), hash(cell + o.yxx), hash(cell + o.xyx), hash(cell + o.yyx));
    vec4 high = vec4(hash(cell + o.xxy), hash(cell + o.yxy), hash(cell + o.xyy), hash(cell + o.yyy));
    vec4 side = mix(low, high, f.z);
    vec2 line = mix(side.xy, side.zw, f.y);
    return mix(line.x, line.y, f.x);
}

// Rings about an axis beside the piece, its longest side along the trunk; v_grain is in units of about its thickness.
vec3 grained(vec3 colour) {
    vec3 at = v_grain.xyz + v_grain.w * vec3(5.3, 9.1, 3.7);
    float wobble = noise(at * vec3(1.3, 1.3, 0.35));
    float rings = length(at.xy + vec2(1.3, 0.5)) * 8.0 + 3.0 * wobble;
    float width = fwidth(rings);
    float ring = fract(rings);
    // Early wood is pale, late wood a thin dark line at the end of a year; no two years are alike.
    float year = hash(vec3(floor(rings), v_grain.w, 1.0));
    ring = (0.35 + 0.65 * year) * smoothstep(0.2, 0.9, ring) * smoothstep(1.0, 0.92, ring);
    ring = mix(ring, 0.25, smoothstep(0.2, 0.8, width));
    vec3 fine = at * vec3(34.0, 34.0, 2.2);
    float fibre = mix(noise(fine), 0.5, smoothstep(0.3, 1.2, fwidth(fine.x) + fwidth(fine.y)));
    float figure = noise(at * vec3(2.1, 2.1, 0.5) + 17.0);
    vec3 tone = mix(vec3(1.08, 1.06, 1.04), vec3(0.52, 0.42, 0.33), 0.85 * ring);
    return colour * tone * (0.86 + 0.28 * fibre) * (0.90 + 0.20 * figure);
}
#endif

vec3 diffuse(vec3 albedo, vec3 normal, vec3 gaze, float lit, float open) {
    vec3 around = mix(u_bounce, u_sky, 0.5 + 0.5 * normal.z) + u_sky * (0.35 * max(dot(normal, gaze), 0.0));
    return albedo * (around * open + u_lamp_light * lit);
}

vec3 shade(vec3 albedo, vec3 world, vec3 normal, float open) {
    vec3 gaze = normalize(u_eye - world);
    float facing = max(dot(normal, gaze), 1e-3);
    float lit = max(dot(normal, u_lamp), 0.0);
    float share = lit > 0.0 ? lamp_share(world, normal) * mix(1.0, open, 0.4) : 0.0;
    vec3 seen = reflect(-gaze, normal);
#if LOOK == 2
    vec3 front = mix(albedo, vec3(max(albedo.r, max(albedo.g, albedo.b))), 0.2);
    float rough = 0.27;
    return environment(seen, rough) * mirrored(front, rough, facing) * (1.5 * open)
        + u_lamp_light * highlight(front, rough, normal, gaze, lit, facing) * share;
#elif LOOK == 4
    float rim = 1.0 - facing;
    rim *= rim;
    vec3 nap = (u_sky * open + u_lamp_light * (0.35 * share)) * (0.55 * rim);
    return diffuse(albedo, normal, gaze, lit * share, open) + nap * mix(albedo, vec3(1.0), 0.06);
#else
#if LOOK == 1
    const float rough = 0.13;
    vec3 front = vec3(0.05);
#elif LOOK == 3
    const float rough = 0.48;
    vec3 front = vec3(0.04);
    albedo = grained(albedo);
#else
    const float rough = 0.72;
    vec3 front = vec3(0.035);
#endif
    vec3 part = mirrored(front, rough, facing);
    return diffuse(albedo, normal, gaze, lit * share, open) * (1.0 - part)
        + environment(seen, rough) * part * open
        + u_lamp_light * highlight(front, rough, normal, gaze, lit, facing) * share;
#endif
}

#if LOOK == 5
// Light of the pane as if it were solid, and the share of what is behind that comes through: the two are mixed, so that
// panes one behind the other before a bright ground do not add up to white.
vec4 glass(vec3 tint, vec3 world, vec3 normal) {
    vec3 gaze = normalize(u_eye - world);
    float facing = max(dot(normal, gaze), 1e-3);
    float away = 1.0 - facing;
    float fresnel = 0.04 + 0.96 * away * away * away * away * away;
    vec3 light = environment(reflect(-gaze, normal), 0.04) * fresnel;
    float lit = max(dot(normal, u_lamp), 0.0);
    light += u_lamp_light * highlight(vec3(0.04), 0.12, normal, gaze, lit, facing);
    float through = (1.0 - fresnel) * mix(0.80, 0.45, away * away);
    vec3 body = tint * environment(refract(-gaze, normal, 0.67), 0.3) * (0.95 - through);
    float solid = max(1.0 - through, min(max(light.r, max(light.g, light.b)), 1.0));
    return vec4((light + body) / solid, 1.0 - solid);
}
#endif
