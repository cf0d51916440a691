package dev.weir.streams.objects.directory;

import static dev.weir.streams.objects.Outcomes.await;
import static dev.weir.streams.objects.Outcomes.bytes;
import static dev.weir.streams.objects.Outcomes.nativeBytes;
import static dev.weir.streams.objects.Outcomes.put;
import static dev.weir.streams.objects.Outcomes.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.streams.objects.NoSuchObjectException;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.ObjectStoreContract;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.ObjectStoreFullException;
import dev.weir.streams.objects.PreconditionFailedException;
import dev.weir.streams.objects.PutCondition;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DirectoryObjectStoreTest extends ObjectStoreContract {
  private Path objects() {
    return folder.resolve("objects");
  }

  @Override
  protected ObjectStore open() throws IOException {
    return DirectoryObjectStore.open(objects());
  }

  /** A file system that fails as told. */
  private static final class BrokenFiles extends ObjectFiles {
    String failure;
    boolean directorySyncsFail;

    @Override
    void write(FileChannel to, ObjectContent content, FileRequest<?> request) throws IOException {
      super.write(to, content, request);
      if (failure != null) {
        throw new IOException(failure);
      }
    }

    @Override
    void syncDirectory(Path directory) throws IOException {
      if (directorySyncsFail) {
        throw new IOException("Input/output error");
      }
      super.syncDirectory(directory);
    }
  }

  @Test
  void anObjectIsAFileUnderItsKey() throws Exception {
    put(store, at + "a", bytes(1, 100), PutCondition.ifAbsent());

    assertThat(Files.readAllBytes(store.localFile(at + "a"))).isEqualTo(bytes(1, 100));
    assertThat(store.localFile(at + "a")).isEqualTo(objects().toRealPath().resolve(at + "a"));
  }

  @Test
  void objectsOutliveTheStore() throws Exception {
    ObjectInfo written = put(store, at + "a", bytes(1, 100), PutCondition.ifAbsent());
    String name = store.name();
    store.close();
    try (ObjectStore again = open()) {
      assertThat(again.name()).isEqualTo(name);
      assertThat(await(again.head(at + "a"))).isEqualTo(written);
    }
  }

  @Test
  void aFullDiskIsSaidToBeFullAndLeavesNothing() throws Exception {
    BrokenFiles files = new BrokenFiles();
    try (ObjectStore broken = DirectoryObjectStore.open(objects(), files)) {
      for (String failure :
          List.of("No space left on device", "Disk quota exceeded", "File too large")) {
        files.failure = failure;
        assertThatThrownBy(() -> put(broken, at + "a", bytes(1, 100), PutCondition.always()))
            .isInstanceOf(ObjectStoreFullException.class)
            .hasMessageContaining(at + "a");
      }
      assertThatThrownBy(() -> await(broken.head(at + "a")))
          .isInstanceOf(NoSuchObjectException.class);
      assertThat(temporaryFiles()).allMatch(file -> file.endsWith("lock"));
      files.failure = null;
      put(broken, at + "a", bytes(1, 100), PutCondition.always());
    }
  }

  @Test
  void noWriteIsTakenAfterADirectoryCouldNotBeSynced() throws Exception {
    BrokenFiles files = new BrokenFiles();
    try (ObjectStore broken = DirectoryObjectStore.open(objects(), files)) {
      put(broken, at + "a", bytes(1, 100), PutCondition.always());
      files.directorySyncsFail = true;
      assertThatThrownBy(() -> put(broken, at + "b", bytes(1, 100), PutCondition.always()))
          .isInstanceOf(ObjectStoreException.class);
      files.directorySyncsFail = false;

      assertThatThrownBy(() -> put(broken, at + "c", bytes(1, 100), PutCondition.always()))
          .isInstanceOf(ObjectStoreException.class)
          .hasMessageContaining("could not be synced");
      assertThat(read(broken, at + "a", 0, 100)).isEqualTo(bytes(1, 100));
    }
  }

  @Test
  void whatACrashLeftIsDeletedAndWhatOthersWriteIsNot() throws Exception {
    Path temporary = objects().resolve("~tmp");
    Path dead = Files.createDirectories(temporary.resolve("dead"));
    Files.createFile(dead.resolve("lock"));
    Files.write(dead.resolve("1"), bytes(1, 100));
    Path older = Files.createDirectories(temporary.resolve("without-a-lock"));
    Files.write(older.resolve("1"), bytes(1, 100));

    try (ObjectStore other = open()) {
      assertThat(dead).doesNotExist();
      assertThat(older).doesNotExist();
      try (Stream<Path> folders = Files.list(temporary)) {
        assertThat(folders).as("of two stores").hasSize(2);
      }
      put(store, at + "a", bytes(1, 100), PutCondition.ifAbsent());
      put(other, at + "b", bytes(1, 100), PutCondition.ifAbsent());
    }
  }

  @Test
  void aKeyBelowAnObjectIsRefused() throws Exception {
    put(store, at + "a", bytes(1, 100), PutCondition.ifAbsent());

    for (PutCondition condition : List.of(PutCondition.always(), PutCondition.ifAbsent())) {
      assertThatThrownBy(() -> put(store, at + "a/b", bytes(1, 100), condition))
          .isInstanceOf(ObjectStoreException.class);
    }
    assertThatThrownBy(() -> read(store, at + "a/b", 0, 1))
        .isInstanceOf(NoSuchObjectException.class);
    assertThatThrownBy(() -> await(store.head(at + "a/b")))
        .isInstanceOf(NoSuchObjectException.class);
    assertThat(await(store.delete(List.of(at + "a/b")))).isEmpty();
  }

  @Test
  void anEtagIsNeverUsedAgainForAKey() throws Exception {
    List<String> etags = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      etags.add(put(store, at + "a", new byte[1], PutCondition.always()).etag());
    }
    assertThat(etags).doesNotHaveDuplicates();
  }

  @Test
  void randomWritesAndDeletionsLeaveWhatAModelHas() throws Exception {
    long seed = Long.getLong("weir.test.seed", 45);
    Random random = new Random(seed);
    TreeMap<String, byte[]> model = new TreeMap<>();
    for (int step = 0; step < 400; step++) {
      String key = at + random.nextInt(4) + "/" + random.nextInt(5) + "-" + random.nextInt(3);
      byte[] bytes = bytes(random.nextLong(), random.nextInt(2_000));
      String what = "-Dweir.test.seed=" + seed + ", step " + step + ", key " + key;
      switch (random.nextInt(4)) {
        case 0 -> {
          put(store, key, bytes, PutCondition.always());
          model.put(key, bytes);
        }
        case 1 -> {
          if (model.containsKey(key)) {
            assertThatThrownBy(() -> put(store, key, bytes, PutCondition.ifAbsent()))
                .as(what)
                .isInstanceOf(PreconditionFailedException.class);
          } else {
            put(store, key, bytes, PutCondition.ifAbsent());
            model.put(key, bytes);
          }
        }
        case 2 -> {
          assertThat(await(store.delete(List.of(key)))).as(what).isEmpty();
          model.remove(key);
        }
        default -> {
          if (model.containsKey(key)) {
            byte[] wanted = model.get(key);
            assertThat(read(store, key, 0, wanted.length)).as(what).isEqualTo(wanted);
          }
        }
      }
      if (step % 20 == 0) {
        assertThat(await(store.list(at, null, 1_000)).objects())
            .as(what)
            .extracting(ObjectInfo::key)
            .containsExactlyElementsOf(model.keySet());
      }
    }
  }

  @Test
  void oneOfManyProcessesWinsEachKey() throws Exception {
    int processes = 4;
    int keys = 50;
    List<Process> children = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      children.add(
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  RacingProcess.class.getName(),
                  objects().toString(),
                  at,
                  Integer.toString(keys))
              .redirectErrorStream(true)
              .start());
    }
    int wins = 0;
    for (Process child : children) {
      String said = new String(child.getInputStream().readAllBytes()).strip();
      assertThat(child.waitFor()).as(said).isZero();
      wins += Integer.parseInt(said);
    }

    assertThat(wins).isEqualTo(keys);
    ObjectInfo counter = await(store.head(at + "counter"));
    assertThat(counter.lengthBytes()).as("increments by compare-and-set").isEqualTo(processes * 25);
  }

  @Test
  void bigContentGoesThroughTheJavaHeapToo() throws Exception {
    byte[] bytes = nativeBytes(3, 3 << 20).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
    put(store, at + "a", bytes, PutCondition.ifAbsent());
    byte[] target = new byte[bytes.length];
    await(store.read(at + "a", null, 0, java.lang.foreign.MemorySegment.ofArray(target)));
    assertThat(target).isEqualTo(bytes);
  }

  private List<Path> temporaryFiles() throws IOException {
    try (Stream<Path> files = Files.walk(objects().resolve("~tmp"))) {
      return files.filter(Files::isRegularFile).toList();
    }
  }
}
