// PATTERN paints round bodies in their own frame, so that one sees them roll:
// 1, balls: a pale belt about z with a dark dot on +x and -x; 2, what is round about z: two pale stripes along z.
varying vec3 v_world;
varying vec3 v_normal;
varying vec3 v_colour;
#ifdef PATTERN
varying vec3 v_local;
#endif
#ifdef LOOK
#if LOOK == 3
varying vec4 v_grain;  // place in the piece of wood, and which piece it is
#elif LOOK == 5
uniform float u_side;  // 1 on front sides, -1 on back sides
#endif
#endif
#include "light.glsl"
#include "ambient.glsl"
#include "noise.glsl"

#ifdef PATTERN
// 1 where x < edge, 0 where x > edge, as sharp as the pixels allow.
float under(float x, float edge) {
    float width = max(fwidth(x), 1e-5);
    return clamp((edge - x) / width + 0.5, 0.0, 1.0);
}

vec3 painted(vec3 colour) {
#ifdef LOOK
    // What shows its material shows the pattern less: a tone on metal, wood and glass, paint on what has a coat.
    float strong = LOOK == 1 ? 1.0 : (LOOK == 2 || LOOK == 3 || LOOK == 5 ? 0.0 : 0.5);
#else
    const float strong = 1.0;
#endif
    vec3 pale = mix(colour * 1.25, mix(colour, vec3(0.86, 0.87, 0.88), 0.80), strong);
    vec3 dark = colour * mix(0.6, 0.16, strong);
#if PATTERN == 1
    vec3 d = normalize(v_local);
    vec3 paint = mix(colour, pale, under(abs(d.z), 0.34));
    return mix(paint, dark, under(length(d.yz), 0.20));
#else
    float around = abs(v_local.x) / max(length(v_local.xy), 1e-6);
    return mix(colour, pale, under(around, 0.30));
#endif
}
#endif

void main() {
    vec3 albedo = v_colour;
#ifdef PATTERN
    albedo = painted(albedo);
#endif
#if defined(LOOK) && LOOK == 5
    vec4 pane = glass(albedo, v_world, normalize(v_normal) * u_side);
    gl_FragColor = vec4(develop(pane.rgb) * (1.0 - pane.a), pane.a);
#else
    vec2 around = surroundings();
    vec3 light = shade(albedo, v_world, normalize(v_normal), around.x);
    gl_FragColor = vec4(dither(develop(light * (1.0 - around.y))), 1.0);
#endif
}
