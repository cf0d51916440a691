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
   * Netty's handler of TLS loses what it was about to encrypt where the buffer of a record is
   * refused: see docs/guide/netty.md. Nothing is lost anywhere else.
   *
   * @param failedAt where an allocation failed; null: none has
   */
  void checkLoss(FaultyServer server, StackTraceElement[] failedAt) {
    if (server.takeLostBytes() > 0) {
      assertThat(failedAt).anyMatch(frame -> frame.getMethodName().equals("allocateOutNetBuf"));
    }
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
