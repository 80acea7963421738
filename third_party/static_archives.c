// Definitions that the distribution's static archives need, so that they can be linked into one file that runs with
// glibc 2.34 (GPUIMG_STATIC): docs/decisions/0032-one-file-for-any-linux.md. Executables and the Python module link it.
// The module also compiles this file a second time, with GPUIMG_OF_MODULE.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

#ifdef GPUIMG_OF_MODULE

// The archives are compiled for executables, which have a copy of glibc's variable. A shared object such as the Python
// module cannot have such a copy. So the module gets its own variable of this name, which receives glibc's value before
// any other code runs.
__attribute__((visibility("hidden"))) void* stderr = NULL;

__attribute__((constructor(101))) static void find_standard_error(void) {
  void* const* const of_glibc = dlsym(RTLD_DEFAULT, "stderr");
  stderr = of_glibc != NULL ? *of_glibc : NULL;
}

#else
#pragma GCC visibility push(hidden)

// --- Functions that glibc has only since 2.35 and 2.36 ---------------------------------------------------------------

// Used by libstdc++ and libarchive. Waits until the kernel has random numbers.
void arc4random_buf(void* to, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t got = getrandom((char*)to + done, size - done, 0);
    done += got > 0 ? (size_t)got : 0;
  }
}

uint32_t arc4random(void) {
  uint32_t number;
  arc4random_buf(&number, sizeof number);
  return number;
}

// Used by libgcc for exceptions: finds the file that holds the code at `pc`, and its table of frames. Returns 0 if
// found.
struct search {
  uintptr_t pc;
  struct dl_find_object* found;
};

static int look_into(struct dl_phdr_info* file, size_t size, void* data) {
  (void)size;
  const struct search* search = data;
  int is_it = 0;
  void* frames = NULL;
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &file->dlpi_phdr[i];
    const uintptr_t start = file->dlpi_addr + part->p_vaddr;
    is_it = is_it || (part->p_type == PT_LOAD && search->pc - start < part->p_memsz);
    frames = part->p_type == PT_GNU_EH_FRAME ? (void*)start : frames;
  }
  search->found->dlfo_eh_frame = frames;
  return is_it && frames != NULL;
}

int _dl_find_object(void* pc, struct dl_find_object* found) {
  memset(found, 0, sizeof *found);
  struct search search = {(uintptr_t)pc, found};
  return dl_iterate_phdr(look_into, &search) != 0 ? 0 : -1;
}

// --- Libraries that are left out -------------------------------------------------------------------------------------

// libtiff calls libjbig, which is left out because its license is the GPL. gpuimg rejects JBIG files before libtiff
// could call these functions.
#define NO_JBIG(name) \
  int name(void) { return -1; }
NO_JBIG(jbg_dec_free)
NO_JBIG(jbg_dec_getsize)
NO_JBIG(jbg_dec_in)
NO_JBIG(jbg_dec_init)
NO_JBIG(jbg_enc_free)
NO_JBIG(jbg_enc_init)
NO_JBIG(jbg_enc_out)
NO_JBIG(jbg_newlen)
const unsigned char* jbg_dec_getimage(void) { return 0; }
const char* jbg_strerror(void) { return "JBIG is not supported"; }

// libarchive's list of output formats refers to these functions, which would need further libraries. gpuimg writes only
// tar.
#define NO_ARCHIVE(format)                               \
  int archive_write_set_format_##format(void* archive) { \
    (void)archive;                                       \
    return -30; /* ARCHIVE_FATAL */                      \
  }
NO_ARCHIVE(7zip)
NO_ARCHIVE(iso9660)
NO_ARCHIVE(mtree)
NO_ARCHIVE(mtree_classic)
NO_ARCHIVE(xar)
NO_ARCHIVE(zip)

#pragma GCC visibility pop
#endif
