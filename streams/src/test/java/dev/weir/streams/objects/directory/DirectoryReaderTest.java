package dev.weir.streams.objects.directory;

import static dev.weir.streams.objects.Outcomes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.streams.objects.NoSuchObjectException;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.PreconditionFailedException;
import dev.weir.streams.objects.PutCondition;
import dev.weir.streams.objects.Requests;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory of objects that is only looked at. */
class DirectoryReaderTest {
  @TempDir Path folder;

  private void write(String key, byte[] bytes) throws IOException {
    Path file = folder.resolve(key);
    Files.createDirectories(file.getParent());
    Files.write(file, bytes);
  }

  @Test
  void objectsAreReadAndListed() throws IOException {
    write("a/b", bytes(1, 100));
    write("a/c", bytes(2, 10));
    try (ObjectStore reader = DirectoryReader.open(folder)) {
      assertThat(Requests.readAll(reader, "a/b")).isEqualTo(bytes(1, 100));
      assertThat(Requests.listAll(reader, "a/"))
          .extracting(ObjectInfo::key)
          .containsExactly("a/b", "a/c");
    }
  }

  @Test
  void whatIsMissingShortOrReplacedIsTold() throws IOException {
    write("a/b", bytes(1, 100));
    MemorySegment target = MemorySegment.ofArray(new byte[101]);
    try (ObjectStore reader = DirectoryReader.open(folder)) {
      assertThatThrownBy(() -> Requests.await(reader.head("a/x")))
          .isInstanceOf(NoSuchObjectException.class);
      assertThatThrownBy(() -> Requests.await(reader.read("a/x", null, 0, target)))
          .isInstanceOf(NoSuchObjectException.class);
      assertThatThrownBy(() -> Requests.await(reader.read("a/b", null, 0, target)))
          .isInstanceOf(ObjectStoreException.class)
          .hasMessageContaining("ends at 100");
      assertThatThrownBy(
              () -> Requests.await(reader.read("a/b", "other", 0, target.asSlice(0, 100))))
          .isInstanceOf(PreconditionFailedException.class);
    }
  }

  @Test
  void nothingIsChanged() throws IOException {
    write("a/b", bytes(1, 100));
    try (ObjectStore reader = DirectoryReader.open(folder)) {
      ObjectContent content = ObjectContent.of(MemorySegment.ofArray(new byte[1]));
      assertThatThrownBy(() -> Requests.await(reader.put("a/c", content, PutCondition.ifAbsent())))
          .isInstanceOf(ObjectStoreException.class)
          .hasMessageContaining("opened for reading");
      assertThatThrownBy(() -> Requests.await(reader.delete(List.of("a/b"))))
          .isInstanceOf(ObjectStoreException.class);
    }
    try (Stream<Path> files = Files.walk(folder)) {
      assertThat(files.filter(Files::isRegularFile)).containsExactly(folder.resolve("a/b"));
    }
  }

  @Test
  void aFileIsNoDirectory() throws IOException {
    write("a/b", bytes(1, 100));
    assertThatThrownBy(() -> DirectoryReader.open(folder.resolve("a/b")))
        .isInstanceOf(NotDirectoryException.class);
  }
}
