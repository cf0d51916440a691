package dev.weir.benchmarks.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The repository around the current folder, where records and charts lie. */
public final class Repository {
  private static final Path RECORDS = Path.of("docs", "benchmarks");
  private static final Path CHARTS = Path.of("docs", "img");

  private final Path root;

  private Repository(Path root) {
    this.root = root;
  }

  /** The one that {@code folder} lies in, if any. */
  public static Optional<Repository> around(Path folder) {
    for (Path at = folder.toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.isDirectory(at.resolve(RECORDS)) && Files.exists(at.resolve("mvnw"))) {
        return Optional.of(new Repository(at));
      }
    }
    return Optional.empty();
  }

  /**
   * The commit whose sources are here.
   *
   * @return empty if they differ from those of any commit
   * @throws IOException if there is no git
   */
  public Optional<String> commit() throws IOException {
    boolean changed = !git("status", "--porcelain", "--", ".", ":!docs").isEmpty();
    return changed ? Optional.empty() : Optional.of(git("rev-parse", "--short", "HEAD"));
  }

  /** The file of the record of a day and a commit. */
  public Path recordFile(String date, String commit) {
    return root.resolve(RECORDS).resolve(date + "-" + commit + ".json");
  }

  /** The file of a suite's chart. */
  public Path chartFile(String suite) {
    return root.resolve(CHARTS).resolve("bench-" + suite + ".svg");
  }

  private String git(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("git", "-C", root.toString()));
    command.addAll(List.of(arguments));
    Process git = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(git.getInputStream().readAllBytes(), UTF_8).strip();
    try {
      if (git.waitFor() != 0) {
        throw new IOException("git says: " + output);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while git looks at " + root, interrupted);
    }
    return output;
  }
}
