package dev.weir.lab.trace.synthetic;

import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TracePhase.Kind;
import java.io.IOException;

/** A part of a synthetic trace, played in small steps. */
@FunctionalInterface
interface Act {
  /** Plays the next step; false if there was none left. */
  boolean step(Blocks blocks) throws IOException;

  /** An act of one step. */
  static Act once(Once step) {
    boolean[] done = new boolean[1];
    return blocks -> {
      if (done[0]) {
        return false;
      }
      done[0] = true;
      step.play(blocks);
      return true;
    };
  }

  /** Begins a phase that counts. */
  static Act phase(String label) {
    return phase(label, Kind.COUNTED);
  }

  /** Begins a phase. */
  static Act phase(String label, Kind kind) {
    return once(blocks -> blocks.phase(new TracePhase(label, kind)));
  }

  /** Lets time pass. */
  static Act pause(long micros) {
    return once(blocks -> blocks.pause(micros));
  }

  /** The same step so many times. */
  static Act repeat(long times, Once step) {
    long[] left = {times};
    return blocks -> {
      if (left[0] == 0) {
        return false;
      }
      left[0]--;
      step.play(blocks);
      return true;
    };
  }

  /** What an act of one step does. */
  @FunctionalInterface
  interface Once {
    void play(Blocks blocks) throws IOException;
  }
}
