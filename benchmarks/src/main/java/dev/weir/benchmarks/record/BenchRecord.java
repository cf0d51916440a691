package dev.weir.benchmarks.record;

import dev.weir.lab.files.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;

/**
 * What was measured on one day of one commit: a JSON file of runs, each with its command, machine,
 * noise and rows. A row of a later run takes the place of the same row of an earlier one, unless it
 * was measured for a shorter time.
 */
public final class BenchRecord {
  private final Path file;
  private final String commit;
  private final String date;
  private final List<BenchRun> runs;

  private BenchRecord(Path file, String commit, String date, List<BenchRun> runs) {
    this.file = file;
    this.commit = commit;
    this.date = date;
    this.runs = runs;
  }

  /**
   * The record of a day and a commit, with the runs that its file has already.
   *
   * @throws IOException if there is a file and it is no record
   */
  public static BenchRecord of(Path file, String commit, String date) throws IOException {
    return Files.exists(file) ? read(file) : new BenchRecord(file, commit, date, new ArrayList<>());
  }

  /**
   * Reads a record.
   *
   * @throws IOException if the file cannot be read or is no record
   */
  public static BenchRecord read(Path file) throws IOException {
    try {
      Map<String, Object> fields = JSON.std.mapFrom(Files.readString(file));
      if (fields.get("commit") instanceof String commit
          && fields.get("date") instanceof String date
          && fields.get("runs") instanceof List<?> objects) {
        List<BenchRun> runs = objects.stream().map(BenchRun::of).flatMap(Optional::stream).toList();
        if (!runs.isEmpty() && runs.size() == objects.size()) {
          return new BenchRecord(file, commit, date, new ArrayList<>(runs));
        }
      }
    } catch (NoSuchFileException absent) {
      throw new IOException("there is no file " + file, absent);
    } catch (JacksonException malformed) {
      throw new IOException(file + " is no JSON: " + malformed.getOriginalMessage(), malformed);
    }
    throw new IOException(file + " is no record of benchmarks");
  }

  /**
   * Adds a run of this machine, and writes the file.
   *
   * @throws IOException if the file cannot be written
   */
  public void append(String command, Noise noise, List<Map<String, Object>> rows)
      throws IOException {
    runs.add(new BenchRun(command, Machine.describe(), noise.fields(), rows));
    WholeFile.write(file, text());
  }

  /** The file's name, which says the day and the commit. */
  String name() {
    return file.getFileName().toString();
  }

  /** The machine of its runs, in one line. */
  String machine() {
    return line(runs.getLast().machine());
  }

  /**
   * Requires that what is measured here compares with what the record has.
   *
   * @throws IllegalStateException if its runs are of another machine
   */
  void requireThisMachine() {
    String here = line(Machine.describe());
    if (!runs.isEmpty() && !machine().equals(here)) {
      throw new IllegalStateException(
          "%s is of another machine, %s, and this is %s; move it away to begin another"
              .formatted(file, machine(), here));
    }
  }

  private static String line(Map<String, Object> machine) {
    return "%s, %s cores, %s, JDK %s, Netty %s"
        .formatted(
            machine.get("cpu"),
            machine.get("cores"),
            machine.get("system"),
            machine.get("jdk"),
            machine.get("netty"));
  }

  /** Every row, in the order of its first appearance. */
  List<Map<String, Object>> rows() {
    Map<Map<String, Object>, Map<String, Object>> latest = new LinkedHashMap<>();
    for (BenchRun run : runs) {
      for (Map<String, Object> row : run.rows()) {
        latest.merge(identity(row), row, BenchRecord::better);
      }
    }
    return List.copyOf(latest.values());
  }

  private static Map<String, Object> better(
      Map<String, Object> earlier, Map<String, Object> later) {
    return measuredMillis(later) >= measuredMillis(earlier) ? later : earlier;
  }

  /** How long a row was measured in all its rounds; 0 where it does not say. */
  private static double measuredMillis(Map<String, Object> row) {
    double millis = 1;
    for (String factor : List.of("rounds", "iterations", "iterationMillis")) {
      millis *= row.get(factor) instanceof Number number ? number.doubleValue() : 0;
    }
    return millis;
  }

  /** What a row is about, without what was measured. */
  private static Map<String, Object> identity(Map<String, Object> row) {
    // Rows of "streams" compare servers; in "loops" the server is what an allocator runs in.
    String last = row.containsKey("allocator") ? "allocator" : "server";
    Map<String, Object> identity = new LinkedHashMap<>();
    for (Map.Entry<String, Object> field : row.entrySet()) {
      identity.put(field.getKey(), field.getValue());
      if (field.getKey().equals(last)) {
        break;
      }
    }
    return identity;
  }

  private String text() {
    String head =
        "{\"commit\":%s,\"date\":%s,\"runs\":[\n"
            .formatted(JSON.std.asString(commit), JSON.std.asString(date));
    return runs.stream().map(BenchRun::text).collect(Collectors.joining(",\n", head, "\n]}\n"));
  }
}
