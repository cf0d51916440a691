package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody deletes what a node writes to. */
class MissingFolderTest {
  @TempDir Path directory;

  private static void delete(Path folder) throws Exception {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(folder)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : all) {
      Files.delete(each);
    }
  }

  @Test
  void anAppendThatCannotBeWrittenIsNoStreamThatIsGone() throws Exception {
    try (NodeFixture node = new NodeFixture(directory)) {
      node.send("PUT", "a", "text/plain", "");
      delete(directory.resolve("spool"));
      HttpResponse<String> answer = node.send("POST", "a", "text/plain", "x".repeat(400_000));
      assertThat(answer.statusCode()).isEqualTo(500);
      assertThat(answer.body()).contains("NoSuchFileException");
      assertThat(node.send("POST", "a", "text/plain", "in the WAL").statusCode()).isEqualTo(204);
      assertThat(node.send("HEAD", "a", "text/plain", "").statusCode()).isEqualTo(200);
    }
  }
}
