package dev.weir.lab.compressed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.compression.zstd.SystemZstd;
import dev.weir.lab.LabCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class CompressedCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... options) {
    String[] arguments = new String[options.length + 2];
    arguments[0] = "run";
    arguments[1] = "compressed";
    System.arraycopy(options, 0, arguments, 2, options.length);
    return new CommandLine(new LabCommand())
        .setOut(new PrintWriter(out, /* autoFlush= */ true))
        .setErr(new PrintWriter(err, /* autoFlush= */ true))
        .execute(arguments);
  }

  /** What is written while a connection closes: Weir's handler releases it, Netty's loses it. */
  @Test
  void nothingIsLiveWhenTheClientsHaveVanished() {
    int exit = run("--vanish", "--responses", "200", "--allocators", "weir,netty-pooled");
    assertThat(err.toString()).isEmpty();
    assertThat(exit).isZero();
    String[] weir = row("weir");
    assertThat(weir).startsWith("weir", "200/200").hasSize(9);
    assertThat(weir[4]).as("contexts in use").isEqualTo("0.0");
    assertThat(weir[7]).as("live at end").isEqualTo("0.0");
    assertThat(Double.parseDouble(row("netty-pooled")[7])).as("live at end").isGreaterThan(1);
  }

  private String[] row(String label) {
    return out.toString()
        .lines()
        .filter(line -> line.startsWith(label))
        .findFirst()
        .orElseThrow()
        .split("\\s{2,}", -1);
  }

  /**
   * Contexts of zstd-jni are counted by estimate, those of the system's library by their blocks.
   */
  @Test
  void eachZstdHasARowAndTheFileHasThemToo(@TempDir Path directory) throws Exception {
    assumeTrue(SystemZstd.find().isPresent(), "this system has no libzstd.so.1");
    Path file = directory.resolve("rows.jsonl");
    int exit =
        run(
            "--responses",
            "100",
            "--allocators",
            "weir,netty-pooled",
            "--content",
            "20000",
            "--zstd",
            "system,jni",
            "--json",
            file.toString());
    assertThat(err.toString()).isEmpty();
    assertThat(exit).isZero();
    assertThat(row("weir, system")).contains("100/100").contains("0.0");
    assertThat(row("weir, jni")).contains("100/100");
    assertThat(row("netty-pooled")).contains("100/100");
    assertThat(Files.readAllLines(file))
        .hasSize(3)
        .anySatisfy(line ->
            assertThat(line)
                .contains("\"zstd\":\"jni\"", "\"answered\":100", "\"usedContextBytes\":0"));
  }

  @ParameterizedTest
  @CsvSource({
    "--responses, 1",
    "--content, 65M",
    "--connections, 0",
    "--limit, 1M",
    "--zstd, lz4",
    "--json, /no/such/directory/rows.jsonl",
    "--allocators, netty-pooled+gate"
  })
  void aBadFlagIsNamed(String flag, String value) {
    assertThat(run(flag, value)).isEqualTo(2);
    assertThat(err.toString()).contains(flag);
  }
}
