// Makes oversized allocations return null under the address sanitizer, as they do without it. Tests depend on this.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
