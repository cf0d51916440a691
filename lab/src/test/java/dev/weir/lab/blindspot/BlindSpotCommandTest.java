package dev.weir.lab.blindspot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.LabCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class BlindSpotCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... options) {
    String[] arguments = new String[options.length + 2];
    arguments[0] = "run";
    arguments[1] = "blind-spot";
    System.arraycopy(options, 0, arguments, 2, options.length);
    return new CommandLine(new LabCommand())
        .setOut(new PrintWriter(out, /* autoFlush= */ true))
        .setErr(new PrintWriter(err, /* autoFlush= */ true))
        .execute(arguments);
  }

  @Test
  void weirNamesWhoHoldsWhatAndTheOthersSayHowMuch() {
    // A leak is suspected when it has been seen to grow for a while behind its age: a busy machine
    // gets several times as long as that takes.
    for (String[] who : new String[][] {{"netty-pooled,netty-adaptive", "1"}, {"weir", "12"}}) {
      String[] options = {
        "--leak", "8000000", "--leak-age", "1", "--allocators", who[0], "--seconds", who[1]
      };
      assertThat(run(options)).isZero();
    }
    assertThat(err.toString()).isEmpty();
    String[] parts = out.toString().split("\nnetty-adaptive\n|\nweir\n", -1);
    assertThat(parts[0])
        .startsWith("netty-pooled\n")
        .contains("usedDirectMemory", "pinnedDirectMemory", "RssAnon of the process has grown by");
    assertThat(parts[0] + parts[1]).doesNotContain("AuditTrail");
    assertThat(parts[2])
        .contains("budget audit", "budget cache", "Rss of the reservation's addresses")
        .containsPattern("suspected leak: AuditTrail.record\\(AuditTrail.java:[0-9]+\\) grows by");
  }

  @ParameterizedTest
  @CsvSource({
    "--seconds, 0",
    "--leak, 100M",
    "--leak-age, 0",
    "--limit, 64M",
    "--allocators, none",
    "--allocators, netty-pooled+gate"
  })
  void aBadFlagIsNamed(String flag, String value) {
    assertThat(run(flag, value)).isEqualTo(2);
    assertThat(err.toString()).contains(flag);
  }
}
