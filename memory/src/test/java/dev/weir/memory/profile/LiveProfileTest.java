package dev.weir.memory.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LiveProfileTest {
  private static final StackTraceElement READ =
      new StackTraceElement("com.example.Reader", "read", "Reader.java", 17);
  private static final StackTraceElement WRITE =
      new StackTraceElement("com.example.Writer", "write", "Writer.java", 5);
  private static final StackTraceElement MAIN =
      new StackTraceElement("com.example.Main", "main", "Main.java", 200);

  private static LiveBlocks blocks(
      String budget, long bytes, double blocks, int seconds, StackTraceElement top) {
    return new LiveBlocks(
        budget, bytes, blocks, Duration.ofSeconds(seconds).toNanos(), List.of(top, MAIN));
  }

  private final LiveProfile profile =
      new LiveProfile(
          1_000,
          0,
          List.of(
              blocks("pool/a", 100, 10, 1, READ),
              blocks("pool/b", 100, 20, 40, READ),
              blocks("pool/a", 200, 7, 31, READ),
              blocks("pool/a", 5_000, 1, 2, WRITE)));

  @Test
  void sitesAreGroupedByBudgetAndStackTheLargestFirst() {
    assertThat(profile.bytes()).isEqualTo(1_000 + 2_000 + 1_400 + 5_000);
    assertThat(profile.sites())
        .containsExactly(
            new LiveSite("pool/a", List.of(WRITE, MAIN), 5_000, 1, 1, 2_000_000_000L),
            new LiveSite("pool/a", List.of(READ, MAIN), 2_400, 17, 2, 31_000_000_000L),
            new LiveSite("pool/b", List.of(READ, MAIN), 2_000, 20, 1, 40_000_000_000L));
  }

  @Test
  void whatIsOldCanBeLookedAtAlone() {
    LiveProfile old = profile.olderThan(Duration.ofSeconds(30));

    assertThat(old.sites()).extracting(LiveSite::bytes).containsExactly(2_000L, 1_400L);
    assertThat(profile.olderThan(Duration.ofDays(1)).sites()).isEmpty();
  }

  @Test
  void collapsedStacksBeginWithTheBudgetAndEndWithTheBytes() {
    assertThat(profile.collapsed())
        .isEqualTo(
            """
            pool/a;com.example.Main.main;com.example.Reader.read 2400
            pool/a;com.example.Main.main;com.example.Writer.write 5000
            pool/b;com.example.Main.main;com.example.Reader.read 2000
            """);
  }

  @Test
  void aBudgetsNameEndsNeitherAFrameNorALine() {
    LiveProfile named = new LiveProfile(1_000, 0, List.of(blocks("pool/a;b\nc", 100, 1, 1, READ)));

    assertThat(named.collapsed())
        .isEqualTo("pool/a,b,c;com.example.Main.main;com.example.Reader.read 100\n");
  }
}
