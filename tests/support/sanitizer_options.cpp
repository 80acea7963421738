// Under the address sanitizer an allocation that is too large returns null, as it does without: tests ask for such
// ones.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
