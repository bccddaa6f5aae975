// What libfabric leaks is not ours: `net` of 1.17 forgets its copy of what an RDM endpoint was
// opened with, and its connections.

extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libfabric.so\n";
}
