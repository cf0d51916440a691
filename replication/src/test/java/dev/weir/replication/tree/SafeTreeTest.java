package dev.weir.replication.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SafeTreeTest {
  private static final Set<StandardOpenOption> NEW =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

  @TempDir private Path folder;

  @Test
  void aLinkInThePlaceOfADirectoryIsNotFollowed() throws IOException {
    Path root = Files.createDirectories(folder.resolve("root/a/b")).getParent().getParent();
    Path outside = Files.createDirectory(folder.resolve("outside"));
    try (SafeTree tree = new SafeTree(root)) {
      tree.open("a/b/first", NEW).close();
      Files.move(root.resolve("a"), root.resolve("moved"));
      Files.createSymbolicLink(root.resolve("a"), outside);

      // What is open stays where it was; what is opened anew is refused.
      tree.open("a/b/second", NEW).close();
      tree.open("other", NEW).close();
      assertThatThrownBy(() -> tree.open("a/third", NEW)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> tree.enter("a")).isInstanceOf(IOException.class);
    }
    assertThat(outside).isEmptyDirectory();
    assertThat(root.resolve("moved/b/second")).exists();
  }

  @Test
  void aLinkInThePlaceOfAFileIsNotFollowed() throws IOException {
    Path outside = Files.writeString(folder.resolve("outside"), "theirs");
    Path root = Files.createDirectory(folder.resolve("root"));
    Files.createSymbolicLink(root.resolve("file"), outside);
    try (SafeTree tree = new SafeTree(root)) {
      assertThatThrownBy(() -> tree.open("file", Set.of(StandardOpenOption.WRITE)))
          .isInstanceOf(IOException.class);
      assertThat(tree.attributes("file").isSymbolicLink()).isTrue();
    }
  }
}
