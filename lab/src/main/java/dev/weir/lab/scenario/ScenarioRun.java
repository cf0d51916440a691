package dev.weir.lab.scenario;

import dev.weir.lab.report.ProgressLine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures rows one after the other. A row that fails says so in {@code problem}, and the run goes
 * on. What there is by then is handed over after each row, so that a run that is cut keeps it. Used
 * by one thread.
 */
public final class ScenarioRun {
  /** The field of a row that has no figures: why. */
  public static final String PROBLEM = "problem";

  /** What a command returns when some rows have no figures. */
  public static final int INCOMPLETE = 3;

  private final List<LabRow> planned;
  private final Keeper keeper;
  private final ProgressLine progress;
  private final List<Map<String, @Nullable Object>> rows = new ArrayList<>();
  private volatile int kept;

  /** Keeps rows. */
  @FunctionalInterface
  public interface Keeper {
    /**
     * Takes the rows that there are by now.
     *
     * @param complete whether no more will come
     * @throws IOException if they cannot be written
     */
    void keep(List<Map<String, @Nullable Object>> rows, boolean complete) throws IOException;
  }

  /** A run of these rows. */
  public ScenarioRun(List<LabRow> planned, Keeper keeper, ProgressLine progress) {
    this.planned = planned;
    this.keeper = keeper;
    this.progress = progress;
  }

  /**
   * Measures all of them.
   *
   * @return the exit code: 0, or {@link #INCOMPLETE} if a row has no figures
   * @throws IOException if what was measured cannot be written
   */
  public int run() throws IOException {
    Interruption interruption = Interruption.watch(progress, () -> kept, planned.size());
    int exit = 0;
    for (LabRow planning : planned) {
      Map<String, @Nullable Object> row = measure(planning);
      if (row.containsKey(PROBLEM)) {
        exit = INCOMPLETE;
      }
      rows.add(row);
      kept = rows.size();
      keeper.keep(rows, /* complete= */ kept == planned.size());
    }
    interruption.ended();
    return exit;
  }

  /** What was measured. */
  public List<Map<String, @Nullable Object>> rows() {
    return rows;
  }

  private Map<String, @Nullable Object> measure(LabRow row) {
    String place = "%s, row %d of %d".formatted(row.scenario(), rows.size() + 1, planned.size());
    Map<String, @Nullable Object> measured = new LinkedHashMap<>();
    measured.put("scenario", row.scenario());
    measured.put("allocator", row.label());
    try {
      progress.show(row.label(), 0, 1, place);
      measured.putAll(
          row.body().measure((done, of) -> progress.show(row.label(), done, of, place)));
    } catch (IOException | RuntimeException failed) {
      Interruption.requireNone(failed);
      String reason = failed.getMessage();
      measured.put(PROBLEM, reason == null ? failed.toString() : reason);
    } finally {
      progress.clear();
    }
    return measured;
  }
}
