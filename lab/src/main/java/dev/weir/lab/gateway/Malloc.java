package dev.weir.lab.gateway;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The C library's allocator under a JVM, or one that is loaded in its place. */
public enum Malloc {
  /** The one that a JVM has. */
  GLIBC("glibc", ""),
  /** FreeBSD's. */
  JEMALLOC("jemalloc", "libjemalloc.so.2");

  private static final List<String> FOLDERS =
      List.of("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib");

  private final String label;
  private final String library;

  Malloc(String label, String library) {
    this.label = label;
    this.library = library;
  }

  /** The name on the command line and in reports. */
  public String label() {
    return label;
  }

  /**
   * Finds one by its label.
   *
   * @throws IllegalArgumentException if there is none; the message lists what there is
   */
  public static Malloc of(String label) {
    return Stream.of(values())
        .filter(malloc -> malloc.label.equals(label))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "no malloc '%s'; there are %s"
                    .formatted(
                        label,
                        Arrays.stream(values())
                            .map(Malloc::label)
                            .collect(Collectors.joining(", ")))));
  }

  /**
   * What a JVM's environment needs to have it.
   *
   * @throws IOException if this machine does not have it
   */
  Map<String, String> environment() throws IOException {
    if (library.isEmpty()) {
      return Map.of();
    }
    Optional<Path> file =
        FOLDERS.stream().map(folder -> Path.of(folder, library)).filter(Files::exists).findFirst();
    return Map.of(
        "LD_PRELOAD",
        file.orElseThrow(() ->
                new IOException(
                    "%s is not here: no %s in %s (Debian: apt install libjemalloc2)"
                        .formatted(label, library, FOLDERS)))
            .toString());
  }

  /**
   * Makes sure that a process has it.
   *
   * @throws IOException if its list of mapped files has not
   */
  void require(long pid) throws IOException {
    String maps = Files.readString(Path.of("/proc", Long.toString(pid), "maps"));
    if (!library.isEmpty() && !maps.contains(library)) {
      throw new IOException("%s is not mapped in the process under test".formatted(library));
    }
  }
}
