package dev.weir.benchmarks.record;

import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

/** Takes runs into the record of this day and commit. */
public final class Recorder {
  private final Repository repository;
  private final BenchRecord target;
  private final String command;

  private Recorder(Repository repository, BenchRecord target, String command) {
    this.repository = repository;
    this.target = target;
    this.command = command;
  }

  /**
   * Finds the record; to be called before anything is measured.
   *
   * @param folder somewhere in the repository
   * @param command what the user typed
   * @throws IllegalStateException if there is no repository, its sources are those of no commit, or
   *     the record is of another machine
   * @throws IOException if the record cannot be read, or there is no git
   */
  public static Recorder begin(Path folder, String command) throws IOException {
    Repository repository =
        Repository.around(folder)
            .orElseThrow(() ->
                new IllegalStateException(
                    "no docs/benchmarks around this folder; run it inside the repository"));
    String commit =
        repository
            .commit()
            .orElseThrow(() ->
                new IllegalStateException("the sources differ from their commit; commit them"));
    String date = LocalDate.now(ZoneOffset.UTC).toString();
    Path file = repository.recordFile(date, commit);
    BenchRecord target = BenchRecord.of(file, commit, date);
    target.requireThisMachine();
    return new Recorder(repository, target, command);
  }

  /**
   * Adds the run, writes the record and draws its charts.
   *
   * @throws IOException if one of the files cannot be written
   */
  public void add(Noise noise, List<Map<String, Object>> rows) throws IOException {
    target.append(command, noise, rows);
    Charts.draw(target, repository);
  }
}
