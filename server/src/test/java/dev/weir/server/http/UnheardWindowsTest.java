package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A window is awaited while its client has used up all that it is known to have heard of. */
class UnheardWindowsTest {
  private static final int STREAM = 1;
  private static final int BYTES = 1000;

  private final UnheardWindows windows = new UnheardWindows();

  @Test
  void whoseClientHasSomeLeftIsNotAwaited() {
    assertThat(windows.isAwaited(STREAM, 0)).as("without an update").isFalse();
    windows.opened(STREAM, BYTES);
    assertThat(windows.isAwaited(STREAM, BYTES + 1)).isFalse();
    assertThat(windows.isAwaited(STREAM, BYTES)).isTrue();
    assertThat(windows.isAwaited(STREAM + 2, BYTES)).as("another").isFalse();
  }

  @Test
  void anAnswerSaysNothingOfWhatCameBehindItsPing() {
    assertThat(windows.tryAsk()).as("about nothing").isFalse();
    windows.opened(STREAM, BYTES);
    assertThat(windows.tryAsk()).isTrue();
    windows.opened(STREAM, BYTES);
    assertThat(windows.tryAsk()).as("one at a time").isFalse();
    assertThat(windows.isAwaited(STREAM, 2 * BYTES)).as("both").isTrue();
    windows.heard();
    assertThat(windows.isAwaited(STREAM, 2 * BYTES)).as("the first").isFalse();
    assertThat(windows.isAwaited(STREAM, BYTES)).as("the second").isTrue();
    assertThat(windows.tryAsk()).isTrue();
    windows.heard();
    assertThat(windows.isAwaited(STREAM, 0)).isFalse();
  }

  /** What lies between two applications has an end. */
  @Test
  void whoTakesMuchBehindAPingHasReadIt() {
    windows.opened(STREAM, BYTES);
    assertThat(windows.tryAsk()).isTrue();
    windows.sent((int) UnheardWindows.MOST_UNREAD_BYTES);
    assertThat(windows.isAwaited(STREAM, BYTES)).isTrue();
    windows.sent(1);
    assertThat(windows.isAwaited(STREAM, BYTES)).isFalse();
    windows.opened(STREAM, BYTES);
    assertThat(windows.tryAsk()).as("again").isTrue();
    windows.sent(1);
    assertThat(windows.isAwaited(STREAM, BYTES)).as("counted anew").isTrue();
  }

  /** A ping stays under way. */
  @Test
  void ofAStreamThatEndsNothingIsKept() {
    windows.opened(STREAM, BYTES);
    assertThat(windows.tryAsk()).isTrue();
    windows.closed(STREAM);
    assertThat(windows.isAwaited(STREAM, 0)).isFalse();
    windows.opened(STREAM + 2, BYTES);
    assertThat(windows.tryAsk()).isFalse();
    assertThat(windows.isAsking()).isTrue();
  }
}
