// One lamp far away, a sky above and the ground's glow from below; all in linear light.
uniform vec3 u_eye;
uniform vec3 u_lamp;        // unit vector towards the lamp
uniform vec3 u_lamp_light;
uniform vec3 u_sky;
uniform vec3 u_bounce;
#include "shadow.glsl"
#ifdef LOOK
#include "looks.glsl"
#else

// `open`: how much of its surroundings a place sees; what it does not see keeps a part of the lamp's light off, too.
vec3 shade(vec3 albedo, vec3 world, vec3 normal, float open) {
    vec3 gaze = normalize(u_eye - world);
    float facing = dot(normal, u_lamp);
    float share = facing > 0.0 ? lamp_share(world, normal) : 1.0;
    share *= mix(1.0, open, 0.4);
    vec3 around = mix(u_bounce, u_sky, 0.5 + 0.5 * normal.z);
    around += u_sky * (0.35 * max(dot(normal, gaze), 0.0));  // a little light from the eye gives dark sides a shape
    around *= open;
    vec3 light = albedo * (around + u_lamp_light * (max(facing, 0.0) * share));
    float shine = max(dot(normal, normalize(u_lamp + gaze)), 0.0) * step(0.0, facing);
    shine *= shine; shine *= shine; shine *= shine; shine *= shine; shine *= shine;
    float rim = 1.0 - max(dot(normal, gaze), 0.0);
    rim *= rim;
    return light + u_lamp_light * (0.16 * shine * share) + u_sky * (0.16 * rim * rim * open);
}
#endif
#include "develop.glsl"
