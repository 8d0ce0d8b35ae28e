// Linear light to stored colour: bright parts are compressed, not cut. `develop` in palette.py is the same.
vec3 develop(vec3 light) {
    return sqrt(light * (1.0 + 0.05 * light) / (1.0 + 0.28 * light));
}
