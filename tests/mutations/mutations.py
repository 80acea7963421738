"""Promises, each with a change of the code that breaks it and the tests that must then fail. `text` stands exactly once
in `file`; `targets` are what the tests run. docs/reliability.md marks these tests with ¹."""
from dataclasses import dataclass


@dataclass
class Mutation:
    name: str
    promise: str
    file: str
    text: str
    replacement: str
    tests: tuple
    targets: tuple = ("gpuimg_tests",)


def through_executable(*arguments):
    return Mutation(*arguments, targets=("gpuimg",))


MUTATIONS = [
    # Input
    Mutation("adler", "a wrong Adler-32 of the pixels is refused", "app/codecs/png/png_fast_reader.cpp",
             " && sink.adler() == inflater.declared_adler()", "", ("PngReader.RefusesDamagedImageData",)),
    Mutation("crc", "a wrong CRC of a critical chunk is refused", "app/codecs/png/png_chunks.cpp",
             "return crc32_of(whole.subspan(4, crc_at - 4)) == u32be_at(whole, crc_at);",
             "return crc_at > 0;", ("PngReader.RefusesWrongChecksumsOfCriticalChunks",)),
    Mutation("palette", "a palette index outside the palette is refused", "app/codecs/png/png_palette.cpp",
             "if (largest >= size_) {", "if (largest > 255) {", ("PngReader.RefusesAnIndexOutsideThePalette",)),
    Mutation("jpeg-warnings", "what libjpeg only warns of is refused", "app/codecs/jpeg/jpeg_session.cpp",
             "if (!errors->lenient && !can_go_on) {", "if (level < -1) {",
             ("JpegReader.TreatsWarningsAsErrors", "JpegReader.RefusesEveryPrefix")),
    Mutation("jpeg-scans", "a JPEG has at most 500 scans", "app/codecs/jpeg/jpeg_session.cpp",
             "constexpr int kMaxScans = 500;", "constexpr int kMaxScans = 5000000;",
             ("JpegReader.RefusesMoreThan500Scans",)),
    Mutation("jpeg-part-flaw", "a flaw that one part of a JPEG has leaves the file to one decoder", "app/codecs/jpeg/jpeg_parts.cpp",
             "        is_sound = false;\n", "", ("JpegParts.LeaveADamagedFileToOneDecoder", "JpegParts.AgreeWithOneDecoderOnMutants")),
    Mutation("jpeg-part-end", "the last part of a JPEG looks for the end of the file", "app/codecs/jpeg/jpeg_parts.cpp",
             "      rows.finish();\n", "", ("JpegParts.LeaveADamagedFileToOneDecoder",)),
    Mutation("jpeg-scan-end", "what libjpeg drops at the end of a scan leaves the file to one decoder",
             "app/codecs/jpeg/jpeg_scan_decoder.cpp", "if (marker != 0 && (marker <", "if (marker < 0 && (marker <", ("JpegPipeline.NoticesBytesDroppedBeforeARestartMarker",)),
    Mutation("jpeg-unfinished", "an unfinished progressive JPEG is left to one decoder, which smooths it", "app/codecs/jpeg/jpeg_script.cpp",
             "[](int unknown) { return unknown == 0; }", "[](int unknown) { return unknown != kUnknown; }",
             ("JpegScript.OfUnfinishedFilesIsNone",)),
    Mutation("truncation", "a PNG that lacks its end is truncated", "app/codecs/png/png_chunks.cpp",
             "    refuse_truncated(name_);\n  }\n  const PngChunkView chunk", "    return std::nullopt;\n  }\n  const PngChunkView chunk",
             ("PngReader.RefusesEveryPrefix",)),
    Mutation("png-tail", "streams with a long tail are left to libpng", "app/codecs/png/png_row_inflater.cpp",
             "         inflater_.position() - data_end <= max_tail_bits_;", "         inflater_.position() >= data_end;",
             ("PngTails.AgreeWithLibpng",)),
    Mutation("coefficients", "coefficients that wait are counted", "app/codecs/jpeg/jpeg_header.cpp",
             "header.keeps_coefficients = header.is_progressive || !is_whole;", "header.keeps_coefficients = header.is_progressive;",
             ("DeclaredImage.CountsCoefficientsThatJpegKeeps",)),
    through_executable("manifest-over-image", "a manifest replaces nothing but a manifest", "app/batch/manifest.cpp",
                       "if (known != kBeginningOfRun.substr(0, known.size())) {", "if (known.size() > kBeginningOfRun.size()) {",
                       ("cli.batch_nothing_is_done_twice_or_overwritten",)),
    through_executable("brackets", "a name in brackets is a name", "app/cli/cli11_bracket_workaround.cpp",
                       "      argument += kMark;\n", "", ("cli.names_in_brackets",)),
    Mutation("fifo", "a named pipe as input is refused", "app/io/input_file.cpp",
             "  if (S_ISREG(status.st_mode)) {\n    return;",
             "  if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)) {\n    return;",
             ("InputFile.RefusesFifosAndSocketsWithoutWaiting", "cli.input_not_a_file"),
             targets=("gpuimg_tests", "gpuimg")),
    # Files and process
    Mutation("replaced", "a file that appears meanwhile is not replaced", "app/io/temporary_file.cpp",
             "target_.c_str(), RENAME_NOREPLACE) == 0", "target_.c_str(), 0) == 0",
             ("OutputFile.DoesNotReplaceAFileCreatedJustBeforeTheRename",)),
    through_executable("alias", "the input is no output, under whatever name", "app/io/output_file.cpp",
                       "has_input && source.st_dev == found->st_dev && source.st_ino == found->st_ino;",
                       "has_input && input == output;", ("cli.output_is_the_input",)),
    through_executable("write-error", "every write is checked", "app/io/temporary_file.cpp",
                       "} else if (errno != EINTR) {\n      fail_writing(shown, errno);",
                       "} else if (errno != EINTR) {\n      return;", ("cli.output_past_the_file_size_limit",)),
    Mutation("close-error", "every close is checked", "app/io/temporary_file.cpp",
             "if (copy < 0 || (::close(copy) != 0 && errno != EINTR)) {", "if (copy < 0 || ::close(copy) > 0) {",
             ("faults.sweep",), targets=("gpuimg_faulty",)),
    Mutation("folder", "a folder that stops being readable is an error", "app/batch/folder_scan.cpp",
             "  if (errno != 0) {  // or", "  if (errno == ENOMEM) {  // or", ("faults.sweep",), targets=("gpuimg_faulty",)),
    through_executable("left-behind", "a failure leaves nothing behind", "app/io/temporary_file.cpp",
                       "  if (!renamed_) {\n    ::unlink(path_.c_str());\n  }\n", "",
                       ("cli.output_past_the_file_size_limit",)),
    through_executable("interrupted", "a run that is interrupted removes its temporary files",
                       "app/batch/stop_signal.cpp", "      remove_registered_temporaries();\n", "",
                       ("cli.killed_at_any_time",)),
    Mutation("stale", "only what no process holds any more is removed", "app/io/temp_cleanup.cpp",
             "::flock(file, LOCK_EX | LOCK_NB) == 0 && ", "",
             ("TempCleanup.RemovesOnlyUnlockedFilesOfThisHost",)),
    through_executable("escaping", "a name does not drive the terminal", "app/text/printable_name.cpp",
                       "if (is_hostile(point.value)) {", "if (point.value == 0) {", ("cli.names_are_printed_escaped",)),
    through_executable("messages", "what is said of arguments does not drive the terminal", "app/cli/messages.cpp",
                       "kind, printable_name(message));", "kind, message);",
                       ("cli.usage_arguments_are_printed_escaped",)),
    # Memory and batches
    Mutation("memory-exit", "running out of memory exits with 6, wherever it happens", "app/main.cpp",
             "    return gpuimg::ExitCode::out_of_memory;", "    return gpuimg::ExitCode::internal;",
             ("faults.sweep",), targets=("gpuimg_faulty",)),
    through_executable("memory-code", "running out of memory has its own exit code", "app/cli/exit_code.hpp",
                       "case ErrorKind::out_of_memory: return ExitCode::out_of_memory;",
                       "case ErrorKind::out_of_memory: return ExitCode::bad_input;",
                       ("cli.out_of_memory_anywhere",)),
    Mutation("failed-is-done", "what fails is counted as failed", "app/batch/batch_item.hpp",
             "item.record.status = ItemStatus::failed;", "item.record.status = ItemStatus::done;",
             ("BatchRun.AnyExceptionFailsOnlyItsItem", "cli.batch_failures"), targets=("gpuimg_tests", "gpuimg")),
    Mutation("begun-late", "an output gets no name before the manifest says that it is begun", "app/batch/item_processor.cpp",
             "if (!made.thrown && !made.ends_run) {", "if (!made.thrown) {",
             ("BatchRun.OutputsAreNotRenamedIfBegunCannotBeRecorded",)),
    Mutation("resume-foreign", "--resume replaces what its manifest names, and nothing else",
             "app/batch/existing_outputs.cpp", "return manifest->outputs.contains(path) || is_of_schema_1;",
             "return !path.empty() || is_of_schema_1;",
             ("WorkPlan.ReplacesOnlyFilesNamedInTheManifest", "cli.batch_resume_replaces_what_is_recorded"),
             targets=("gpuimg_tests", "gpuimg")),
    Mutation("not-again", "an image that ran out of memory is retried", "app/batch/batch_run.cpp",
             "reserve_.retry_on_oom([&] { again_.push_back(item.planned); });", "again_.clear();",
             ("BatchRun.RetriesAloneAfterOutOfMemory",)),
    Mutation("lost-device", "a device that is lost ends the run", "app/batch/item_processor.cpp",
             "    device_is_lost_ = true;\n", "", ("BatchRun.ALostDeviceEndsTheRun",)),
    Mutation("reserve", "running out of memory between images does not end the run", "app/batch/memory_reserve.cpp",
             "      held_.reset();\n      return true;\n", "      return false;\n",
             ("faults.sweep", "BatchRun.RetriesAfterOutOfMemoryBetweenImages"), targets=("gpuimg_faulty", "gpuimg_tests")),
    Mutation("given-back", "the reserve is given back, or it would be no use", "app/batch/memory_reserve.cpp",
             "      held_.reset();\n", "      static_cast<void>(held_.release());\n",
             ("MemoryReserveDeathTest.SufficesWhenTheAddressSpaceIsFull",)),
    Mutation("restart", "a run goes on where oneTBB finds no memory for itself", "app/batch/batch_run.cpp",
             "      if (!one_is_taken_alone()) {\n        break;", "      {\n        break;",
             ("faults.sweep",), targets=("gpuimg_faulty",)),
    Mutation("cut-short", "no failure cuts short what other workers compute", "app/batch/batch_run.cpp",
             "[&](BatchItem* item) { end(*item); }", "[&](BatchItem* item) { end(*item); if (is_broken_) throw std::bad_alloc(); }",
             ("BatchRun.AnUnwritableManifestDoesNotCancelOtherImages",)),
    # Same bytes
    Mutation("strips", "strips give the same bytes", "app/engine/striped_backend.cpp",
             "    above[x] += last[x];\n", "    above[x] = last[x];\n", ("StripedBackendTest.SummedAreaTables",)),
    Mutation("deflate-memory", "the bytes of a strip depend only on the strip", "app/codecs/deflate/compress.cpp",
             "  finder_.restart();\n", "", ("Deflate.OutputDependsOnlyOnTheInput",)),
]
