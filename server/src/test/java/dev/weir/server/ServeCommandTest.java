package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class ServeCommandTest {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "--budget, lots",
    "--budget, 1M",
    "--budget, -5",
    "--budget, 9999G",
    "--port, 70000",
    "--data, ''",
    "--port, -1",
    "--profile, 1K",
    "--profile, 2G",
    "--profile, on",
    "--hardened, 0",
    "--hardened, on",
    "--leak-age, 0",
    "--leak-age, 90000",
    "--port, http"
  })
  void aBadFlagIsNamedAndTheExitCodeIsTwo(String flag, String value) {
    StringWriter err = new StringWriter();
    int status = run(err, "--data", directory.toString(), flag, value);
    assertThat(status).isEqualTo(2);
    assertThat(err.toString().lines().findFirst())
        .hasValueSatisfying(line -> assertThat(line).contains(flag));
  }

  @Test
  void aBudgetOutOfRangeIsSaidAsItWasGiven() {
    StringWriter err = new StringWriter();
    run(err, "--data", directory.toString(), "--budget", "0");
    assertThat(err.toString()).contains("0 bytes is not in 16M..1024G");
  }

  @Test
  void aPortInUseIsSaidInOneLine() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      StringWriter err = new StringWriter();
      assertThat(run(err, "--port", port, "--data", directory.toString())).isEqualTo(1);
      assertThat(err.toString()).hasLineCount(1).contains("port " + port).contains("--port");
    }
  }

  @Test
  void aDataDirectoryThatIsAFileIsSaidInOneLine() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    StringWriter err = new StringWriter();
    assertThat(run(err, "--port", "0", "--data", file.toString())).isEqualTo(1);
    assertThat(err.toString()).hasLineCount(1).contains(file + " is a file").contains("--data");
  }

  @Test
  void aDataDirectoryInUseIsSaidInOneLine() throws Exception {
    try (NodeFixture fixture = new NodeFixture(directory)) {
      StringWriter err = new StringWriter();
      assertThat(run(err, "--port", "0", "--data", directory.toString())).isEqualTo(1);
      assertThat(err.toString()).hasLineCount(1).contains("in use by another node");
      assertThat(fixture.send("PUT", "a", "text/plain", "").statusCode()).isEqualTo(201);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "64k, 65536", "256M, 268435456", "1G, 1073741824", "2gib, 2147483648"})
  void sizesAreRead(String text, long bytes) {
    assertThat(ByteSize.parse(text).bytes()).isEqualTo(bytes);
  }

  private static int run(StringWriter err, String... arguments) {
    return new CommandLine(new ServeCommand())
        .setErr(new PrintWriter(err, /* autoFlush= */ true))
        .execute(arguments);
  }
}
