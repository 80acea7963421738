// Maps errno values to advice.
#include "io/output_error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include "text/printable_name.hpp"

namespace gpuimg {

OutputError::OutputError(const std::string& path, std::string why_and_what_to_do, int system_error)
    : Error(ErrorKind::write, fmt::format("{}: cannot write: {}", printable_name(path), why_and_what_to_do)),
      why_(std::move(why_and_what_to_do)),
      system_error_(system_error) {}

void fail_writing(const std::string& path, const std::string& why_and_what_to_do) {
  throw OutputError(path, why_and_what_to_do, 0);
}

void fail_writing(const std::string& path, int system_error) {
  if (system_error == ENOMEM) {
    throw std::bad_alloc();
  }
  throw OutputError(path, write_advice(system_error), system_error);
}

std::string write_advice(int error) {
  switch (error) {
    case ENOSPC: return "the disk is full; free some space, or write elsewhere";
    case EDQUOT: return "the disk quota is used up; free some space, or write elsewhere";
    case EFBIG: return "the file would pass the size limit; raise it (ulimit -f), or write elsewhere";
    case EACCES:
    case EPERM: return "permission denied; change the folder's permissions, or write elsewhere";
    case EROFS: return "the file system is read-only; write elsewhere";
    case ENOENT: return "its folder does not exist; create it first";
    case ENOTDIR: return "part of its path is not a folder; correct the path";
    case ENAMETOOLONG: return "the name is too long; use a shorter one";
    case ELOOP: return "its symbolic links form a cycle; write elsewhere";
    case EMFILE:
    case ENFILE: return "too many open files; raise the limit (ulimit -n)";
    default: return fmt::format("{}; check the disk, or write elsewhere", std::generic_category().message(error));
  }
}

}  // namespace gpuimg
