package dev.weir.benchmarks.streams.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamServerTest {
  @Test
  void theNodeRunsAsTheLauncherRunsIt() throws IOException {
    String script = Files.readString(Path.of("..", "weir"));
    int start = script.indexOf("jvm_flags() {");
    String function = script.substring(start, script.indexOf("\n}\n", start) + 3);
    Process shell = new ProcessBuilder("bash", "-c", function + "jvm_flags serve").start();
    try (BufferedReader lines = shell.inputReader()) {
      assertThat(StreamServer.NODE_FLAGS).isEqualTo(lines.lines().toList());
    }
  }

  @Test
  void theCommandHasFolderPortAndFlags() {
    List<String> command =
        StreamServer.weir(List.of("--event-loops", "1")).launch().command(Path.of("there"), 42);
    assertThat(command)
        .containsSequence("dev.weir.cli.Main", "serve", "--port", "42", "--data", "there")
        .endsWith("--event-loops", "1");
  }

  @Test
  void aProgramIsFoundOnThePathOrItsAbsenceIsTold() {
    assertThat(StreamServer.onPath("sh")).isPresent();
    assertThat(StreamServer.onPath("no-such-program-here")).isEmpty();
    assertThat(StreamServer.rust().missing().isEmpty())
        .isEqualTo(StreamServer.onPath("durable-streams-server").isPresent());
  }
}
