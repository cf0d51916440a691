package dev.weir.benchmarks.streams;

import dev.weir.benchmarks.streams.load.AppendLoad;
import dev.weir.benchmarks.streams.process.StreamServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * All rows, one after the other. In each, the servers take turns, round by round, each with a
 * process and an empty folder of its own. Used by one thread; what is finished, any thread may ask
 * for.
 */
public final class StreamsRun {
  private final List<StreamsRow> rows;
  private final List<StreamServer> servers;
  private final StreamsEffort effort;
  private final AppendLoad load;
  private final List<StreamsMeasurement> finished = new CopyOnWriteArrayList<>();

  /** A run that measures the servers that are there. */
  public StreamsRun(
      List<StreamsRow> rows, List<StreamServer> servers, StreamsEffort effort, AppendLoad load) {
    this.rows = List.copyOf(rows);
    this.servers = List.copyOf(servers);
    this.effort = effort;
    this.load = load;
  }

  /** How many processes are measured. */
  public int turns() {
    return rows.size() * servers.size() * effort.rounds();
  }

  /**
   * Measures everything. A server that fails in a row is left out of the rest of that row.
   *
   * @param parent where folders are made, and deleted again
   * @param turns hears what begins now, and how many have ended
   * @param isGivenUp whether the run is to end with the failure of a server
   * @throws IOException if it is
   */
  public void measure(Path parent, BiConsumer<String, Integer> turns, BooleanSupplier isGivenUp)
      throws IOException {
    int ended = 0;
    for (StreamsRow row : rows) {
      StreamsMeasurement measurement = new StreamsMeasurement(row);
      for (int round = 0; round < effort.rounds(); round++) {
        for (StreamServer server : servers) {
          turns.accept("%s %s".formatted(row.label(), server.label()), ended);
          boolean isMeasured = server.isWeir() || !row.isOurs();
          if (isMeasured && !measurement.failures().containsKey(server.label())) {
            try {
              measurement.add(server.label(), turn(row, server, parent));
            } catch (IOException failed) {
              if (isGivenUp.getAsBoolean()) {
                throw failed;
              }
              measurement.fail(server.label(), String.valueOf(failed.getMessage()));
            }
          }
          ended++;
        }
      }
      finished.add(measurement);
    }
    turns.accept("", ended);
  }

  private Map<StreamsMetric, Double> turn(StreamsRow row, StreamServer server, Path parent)
      throws IOException {
    Path folder = Files.createTempDirectory(parent, "weir-bench-");
    try {
      return new RowRun(server, folder, load, effort).run(row);
    } catch (IOException failed) {
      throw new IOException(
          "%s in %s: %s".formatted(server.label(), row.label(), failed.getMessage()), failed);
    } finally {
      delete(folder);
    }
  }

  private static void delete(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
  }

  /** What is finished. */
  public List<StreamsMeasurement> finished() {
    return List.copyOf(finished);
  }
}
