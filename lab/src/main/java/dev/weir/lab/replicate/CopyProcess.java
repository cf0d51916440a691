package dev.weir.lab.replicate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * One side of a copy in a process of its own, which talks in lines; the kernel's figures of it. It
 * ends with this object. For one thread.
 */
final class CopyProcess implements AutoCloseable {
  /** Of {@code USER_HZ}, which Linux shows to programs whatever its own rate is. */
  private static final double TICKS_A_SECOND = 100;

  /** Of the words behind the name in {@code /proc/PID/stat}. */
  private static final int USER_TICKS = 11;

  private static final int SYSTEM_TICKS = 12;

  private final Process process;
  private final BufferedReader lines;
  private final Writer words;
  private final Path errors;

  private CopyProcess(Process process, Path errors) {
    this.process = process;
    this.lines = process.inputReader(UTF_8);
    this.words = process.outputWriter(UTF_8);
    this.errors = errors;
  }

  static CopyProcess start(List<String> command, Path folder) throws IOException {
    Path errors = Files.createTempFile(folder, "copy-", ".log");
    return new CopyProcess(
        new ProcessBuilder(command).redirectError(errors.toFile()).start(), errors);
  }

  /**
   * The words of the next line, which begins with one of these.
   *
   * @throws IOException if it does not, or the process has ended: with the last of what it said
   */
  List<String> next(String... expected) throws IOException {
    String line = lines.readLine();
    if (line == null || Stream.of(expected).noneMatch(line::startsWith)) {
      List<String> said = Files.readAllLines(errors);
      throw new IOException(
          "a side of the copy has failed: %s %s"
              .formatted(line, said.subList(Math.max(0, said.size() - 5), said.size())));
    }
    return List.of(line.split(" "));
  }

  void say(String word) throws IOException {
    words.write(word + "\n");
    words.flush();
  }

  /** The process's number. */
  long pid() {
    return process.pid();
  }

  /** The seconds of processor that it has taken, with all its threads and workers. */
  double cpuSeconds() throws IOException {
    long ticks = 0;
    for (long pid : pids()) {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      ticks += Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]);
    }
    return ticks / TICKS_A_SECOND;
  }

  /** The most that was ever resident of it, or of one of its workers. */
  long peakRssBytes() throws IOException {
    long peak = 0;
    for (long pid : pids()) {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
        if (line.startsWith("VmHWM:")) {
          peak = Math.max(peak, Long.parseLong(line.replaceAll("[^0-9]", "")) << 10);
        }
      }
    }
    return peak;
  }

  private List<Long> pids() {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants())
        .map(ProcessHandle::pid)
        .toList();
  }

  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    lines.close();
    Files.deleteIfExists(errors);
  }
}
