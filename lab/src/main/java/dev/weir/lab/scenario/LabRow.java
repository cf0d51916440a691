package dev.weir.lab.scenario;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A row of a scenario, and how to come by its figures.
 *
 * @param scenario its name on the command line
 * @param label what is measured
 * @param body measures it
 */
public record LabRow(String scenario, String label, Body body) {

  /** Measures a row. */
  @FunctionalInterface
  public interface Body {
    /**
     * Runs to its end.
     *
     * @param steps is told how far it is
     * @return the figures
     * @throws IOException if it cannot be measured: the row says so, and the run goes on
     */
    Map<String, @Nullable Object> measure(Steps steps) throws IOException;
  }

  /** Takes in how far a row is. */
  @FunctionalInterface
  public interface Steps {
    /** So many of so many. */
    void done(int steps, int of);
  }
}
