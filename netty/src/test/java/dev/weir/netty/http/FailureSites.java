package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/** Where allocations were made to fail, one exchange after another. */
final class FailureSites {
  private final Set<String> sites = new TreeSet<>();
  private int failures;
  private String last = "nowhere";

  int failures() {
    return failures;
  }

  String last() {
    return last;
  }

  void add(StackTraceElement[] failedAt) {
    failures++;
    last = site(failedAt);
    sites.add(last);
  }

  /** Who asked for the buffer: the first frame that is no allocator's. */
  private static String site(StackTraceElement[] stack) {
    return Arrays.stream(stack)
        .filter(frame -> !frame.getClassName().contains("Alloc"))
        .findFirst()
        .map(StackTraceElement::toString)
        .orElseThrow();
  }

  /**
   * Holds to it that no array of the Java heap is lost, by TLS neither.
   *
   * @param failedAt where an allocation failed; null: none has
   */
  void checkLoss(FaultyServer server, StackTraceElement[] failedAt) {
    assertThat(server.heldHeapBytes())
        .as("lost by a failure at %s", Arrays.toString(failedAt))
        .isZero();
  }

  /** Holds to it that a test of many failures was one. */
  void assertMany(String exchange) {
    assertThat(failures).isGreaterThan(3);
    assertThat(sites).hasSizeGreaterThan(1);
    System.getLogger(FailureSites.class.getName())
        .log(
            System.Logger.Level.DEBUG,
            "{0}: {1} allocations failed, at {2}",
            exchange,
            failures,
            sites);
  }
}
