// What is known of each pixel: the normal in the camera's axes, the number of the body, and how far it is.
uniform sampler2D u_facts;
uniform sampler2D u_depths;
uniform vec2 u_texel;    // one pixel, in the coordinates of these
uniform vec2 u_lens;     // of the projection: how depths come from distances
uniform vec2 u_tangent;  // of half the field of view, both ways

float distance_at(vec2 uv) {
    return u_lens.y / (texture2D(u_depths, uv).r * 2.0 - 1.0 + u_lens.x);
}

// The point seen there, in the camera's axes.
vec3 point_at(vec2 uv) {
    float away = distance_at(uv);
    return vec3((uv * 2.0 - 1.0) * u_tangent * away, -away);
}

vec3 normal_of(vec4 facts) {
    vec2 side = facts.rg * 2.0 - 1.0;
    return vec3(side, sqrt(max(1.0 - dot(side, side), 0.0)));
}
