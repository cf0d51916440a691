package dev.weir.lab.blindspot;

import java.util.List;

/**
 * What is run.
 *
 * @param seconds how long
 * @param limitBytes direct memory
 * @param leakedBytesPerSecond what the fourth feature forgets
 * @param leakAgeSeconds what is older and grows is suspected by Weir
 */
record BlindSpotPlan(int seconds, long limitBytes, long leakedBytesPerSecond, int leakAgeSeconds) {
  List<String> arguments() {
    return List.of(
        Integer.toString(seconds),
        Long.toString(limitBytes),
        Long.toString(leakedBytesPerSecond),
        Integer.toString(leakAgeSeconds));
  }

  static BlindSpotPlan of(List<String> arguments) {
    return new BlindSpotPlan(
        Integer.parseInt(arguments.get(0)),
        Long.parseLong(arguments.get(1)),
        Long.parseLong(arguments.get(2)),
        Integer.parseInt(arguments.get(3)));
  }
}
