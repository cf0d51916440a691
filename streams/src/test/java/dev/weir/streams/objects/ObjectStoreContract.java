package dev.weir.streams.objects;

import static dev.weir.streams.objects.Outcomes.await;
import static dev.weir.streams.objects.Outcomes.awaitEnd;
import static dev.weir.streams.objects.Outcomes.bytes;
import static dev.weir.streams.objects.Outcomes.nativeBytes;
import static dev.weir.streams.objects.Outcomes.put;
import static dev.weir.streams.objects.Outcomes.read;
import static dev.weir.streams.objects.Outcomes.target;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every store does, as {@link ObjectStore} says. Each test has a folder of keys of its own.
 */
public abstract class ObjectStoreContract {
  private static final int RACERS = 32;

  @TempDir protected Path folder;

  protected ObjectStore store;
  protected String at;

  /** Opens the store; a test may open it more than once, for the same objects. */
  protected abstract ObjectStore open() throws Exception;

  /** The length of an object that the store writes in more than one request, if it ever does. */
  protected int bigBytes() {
    return 5 << 20;
  }

  /**
   * Whether a listing has a folder where its bare name sorts: {@code a/b} before {@code a-b}, and
   * nothing of {@code a/} behind {@code a}. That is not the order of keys. A store over such a
   * service is good for keys where the two are the same.
   */
  protected boolean sortsFoldersByBareNames() {
    return false;
  }

  @BeforeEach
  void openStore() throws Exception {
    store = open();
    at = "t-" + UUID.randomUUID() + "/";
  }

  @AfterEach
  void closeStore() {
    store.close();
  }

  @Test
  void anObjectIsReadAsItWasWritten() throws Exception {
    byte[] bytes = bytes(1, 100_000);
    ObjectInfo written = put(store, at + "a", bytes, PutCondition.always());

    assertThat(written.key()).isEqualTo(at + "a");
    assertThat(written.lengthBytes()).isEqualTo(bytes.length);
    assertThat(await(store.head(at + "a"))).isEqualTo(written);
    assertThat(read(store, at + "a", 0, bytes.length)).isEqualTo(bytes);
  }

  @Test
  void aRangeIsReadFromItsOffset() throws Exception {
    byte[] bytes = bytes(2, 300_000);
    put(store, at + "a", bytes, PutCondition.always());
    Random random = new Random(2);
    for (int i = 0; i < 50; i++) {
      int offset = random.nextInt(bytes.length);
      int length = random.nextInt(bytes.length - offset + 1);
      assertThat(read(store, at + "a", offset, length))
          .as("%d bytes from %d", length, offset)
          .isEqualTo(Arrays.copyOfRange(bytes, offset, offset + length));
    }
  }

  @Test
  void manyReadsRunAtOnce() throws Exception {
    byte[] bytes = bytes(3, 1 << 20);
    put(store, at + "a", bytes, PutCondition.always());
    List<MemorySegment> targets = new ArrayList<>();
    List<Request<Void>> reads = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      targets.add(target(4_096));
      reads.add(store.read(at + "a", null, i * 5_000L, targets.getLast()));
    }
    for (int i = 0; i < reads.size(); i++) {
      await(reads.get(i));
      assertThat(targets.get(i).toArray(ValueLayout.JAVA_BYTE))
          .isEqualTo(Arrays.copyOfRange(bytes, i * 5_000, i * 5_000 + 4_096));
    }
  }

  @Test
  void anEmptyObjectHasNoBytes() throws Exception {
    ObjectInfo written = put(store, at + "empty", new byte[0], PutCondition.ifAbsent());

    assertThat(written.lengthBytes()).isZero();
    assertThat(await(store.head(at + "empty"))).isEqualTo(written);
    assertThat(read(store, at + "empty", 0, 0)).isEmpty();
    assertThatThrownBy(() -> read(store, at + "empty", 0, 1))
        .isInstanceOf(ObjectStoreException.class);
  }

  @Test
  void contentComesInPartsFromMemoryAndFiles() throws Exception {
    byte[] inFile = bytes(5, 200_000);
    Path file = Files.write(folder.resolve("content"), inFile);
    MemorySegment first = nativeBytes(6, 70_000);
    byte[] last = bytes(7, 3);
    ObjectContent content =
        new ObjectContent(
            List.of(
                new ObjectContent.InMemory(first),
                new ObjectContent.InFile(file, 1_000, 150_000),
                new ObjectContent.InMemory(MemorySegment.ofArray(last))));

    ObjectInfo written = await(store.put(at + "a", content, PutCondition.ifAbsent()));

    assertThat(written.lengthBytes()).isEqualTo(220_003);
    assertThat(read(store, at + "a", 0, 70_000)).isEqualTo(first.toArray(ValueLayout.JAVA_BYTE));
    assertThat(read(store, at + "a", 70_000, 150_000))
        .isEqualTo(Arrays.copyOfRange(inFile, 1_000, 151_000));
    assertThat(read(store, at + "a", 220_000, 3)).isEqualTo(last);
  }

  @Test
  void aFileThatIsTooShortIsNoContent() throws Exception {
    Path file = Files.write(folder.resolve("content"), new byte[10]);
    ObjectContent content = new ObjectContent(List.of(new ObjectContent.InFile(file, 5, 6)));

    assertThatThrownBy(() -> await(store.put(at + "a", content, PutCondition.always())))
        .isInstanceOf(ObjectStoreException.class);
    assertThatThrownBy(() -> await(store.head(at + "a"))).isInstanceOf(NoSuchObjectException.class);
  }

  @Test
  void aBigObjectIsWrittenWhole() throws Exception {
    MemorySegment bytes = nativeBytes(8, bigBytes());
    ObjectInfo written =
        await(store.put(at + "big", ObjectContent.of(bytes), PutCondition.ifAbsent()));
    MemorySegment target = target(bigBytes());

    await(store.read(at + "big", written.etag(), 0, target));

    assertThat(await(store.head(at + "big"))).isEqualTo(written);
    assertThat(target.mismatch(bytes)).isEqualTo(-1);
    assertThatThrownBy(
            () -> await(store.put(at + "big", ObjectContent.of(bytes), PutCondition.ifAbsent())))
        .isInstanceOf(PreconditionFailedException.class);
  }

  @Test
  void whatIsMissingIsSaidToBe() {
    assertThatThrownBy(() -> await(store.head(at + "none")))
        .isInstanceOf(NoSuchObjectException.class)
        .hasMessageContaining(at + "none");
    assertThatThrownBy(() -> read(store, at + "none", 0, 1))
        .isInstanceOf(NoSuchObjectException.class);
    assertThatThrownBy(() -> read(store, at + "none", 0, 0))
        .isInstanceOf(NoSuchObjectException.class);
    assertThatThrownBy(() -> await(store.read(at + "none", "\"etag\"", 0, target(1))))
        .isInstanceOf(ObjectStoreException.class);
  }

  @Test
  void anObjectThatEndsEarlierIsAnError() throws Exception {
    put(store, at + "a", bytes(9, 100), PutCondition.always());

    for (long offset : new long[] {1, 99, 100, 101, 1L << 40}) {
      assertThatThrownBy(() -> await(store.read(at + "a", null, offset, target(100))))
          .as("from %d", offset)
          .isInstanceOf(ObjectStoreException.class)
          .isNotInstanceOf(NoSuchObjectException.class)
          .hasMessageContaining(at + "a");
    }
  }

  @Test
  void aReadHoldsToItsEtag() throws Exception {
    ObjectInfo first = put(store, at + "a", bytes(10, 100), PutCondition.always());
    await(store.read(at + "a", first.etag(), 0, target(100)));
    put(store, at + "a", bytes(11, 100), PutCondition.always());

    assertThatThrownBy(() -> await(store.read(at + "a", first.etag(), 0, target(100))))
        .isInstanceOf(PreconditionFailedException.class);
  }

  @Test
  void aWriteIfAbsentTakesNothingAway() throws Exception {
    ObjectInfo first = put(store, at + "a", bytes(12, 100), PutCondition.ifAbsent());

    assertThatThrownBy(() -> put(store, at + "a", bytes(13, 50), PutCondition.ifAbsent()))
        .isInstanceOf(PreconditionFailedException.class);
    assertThat(await(store.head(at + "a"))).isEqualTo(first);
    assertThat(read(store, at + "a", 0, 100)).isEqualTo(bytes(12, 100));
  }

  @Test
  void aWriteIfMatchNeedsTheEtag() throws Exception {
    ObjectInfo first = put(store, at + "a", bytes(14, 100), PutCondition.ifAbsent());
    ObjectInfo second = put(store, at + "a", bytes(15, 100), PutCondition.ifMatch(first.etag()));

    assertThat(second.etag()).isNotEqualTo(first.etag());
    assertThatThrownBy(
            () -> put(store, at + "a", bytes(16, 100), PutCondition.ifMatch(first.etag())))
        .isInstanceOf(PreconditionFailedException.class);
    assertThat(read(store, at + "a", 0, 100)).isEqualTo(bytes(15, 100));
    assertThatThrownBy(
            () -> put(store, at + "none", bytes(16, 100), PutCondition.ifMatch(first.etag())))
        .isInstanceOfAny(PreconditionFailedException.class, NoSuchObjectException.class);
  }

  @Test
  void oneOfManyWritesIfAbsentWins() throws Exception {
    for (int round = 0; round < 5; round++) {
      raceOneWinner(at + "race" + round, PutCondition.ifAbsent());
    }
  }

  @Test
  void oneOfManyWritesIfMatchWins() throws Exception {
    for (int round = 0; round < 5; round++) {
      String key = at + "race" + round;
      ObjectInfo first = put(store, key, bytes(17, 10), PutCondition.ifAbsent());
      raceOneWinner(key, PutCondition.ifMatch(first.etag()));
    }
  }

  /** Two stores for the same objects, and 32 writes that begin at once. */
  private void raceOneWinner(String key, PutCondition condition) throws Exception {
    List<Throwable> errors = new ArrayList<>();
    int winner = -1;
    try (ObjectStore other = open();
        var threads = Executors.newFixedThreadPool(RACERS)) {
      CountDownLatch start = new CountDownLatch(1);
      List<Future<ObjectInfo>> racers = new ArrayList<>();
      for (int i = 0; i < RACERS; i++) {
        ObjectStore mine = i % 2 == 0 ? store : other;
        byte[] bytes = bytes(1_000 + i, 1_000 + i);
        racers.add(
            threads.submit(() -> {
              start.await();
              return put(mine, key, bytes, condition);
            }));
      }
      start.countDown();
      for (int i = 0; i < RACERS; i++) {
        Throwable error = catchThrowable(racers.get(i)::get);
        if (error == null) {
          assertThat(winner).as("a second winner is %d", i).isEqualTo(-1);
          winner = i;
        } else {
          errors.add(error.getCause());
        }
      }
    }
    assertThat(winner).as("errors: %s", errors).isNotNegative();
    assertThat(errors).hasSize(RACERS - 1).allMatch(PreconditionFailedException.class::isInstance);
    assertThat(read(store, key, 0, 1_000 + winner))
        .isEqualTo(bytes(1_000 + winner, 1_000 + winner));
  }

  @Test
  void aListingHasTheKeysInTheOrderOfTheirBytes() throws Exception {
    List<String> all =
        List.of("a-b", "a.b", "a/b", "a/b0", "a0", "a_b", "ab", "b/c/d", "b/c-d", "b0", "-", "0");
    List<String> names =
        sortsFoldersByBareNames()
            ? all.stream().filter(name -> !name.matches(".+[-.].+")).toList()
            : all;
    for (String name : names) {
      put(store, at + name, bytes(18, name.length()), PutCondition.always());
    }
    List<String> sorted = names.stream().sorted().map(name -> at + name).toList();

    for (int maxKeys : new int[] {1, 2, 3, 5, 12, 1_000}) {
      assertThat(list(at, maxKeys)).as("pages of %d", maxKeys).isEqualTo(sorted);
    }
    assertThat(list(at + "a", 2))
        .isEqualTo(sorted.stream().filter(key -> key.startsWith(at + "a")).toList());
    assertThat(list(at + "a/", 1)).containsExactly(at + "a/b", at + "a/b0");
    assertThat(list(at + "none", 1)).isEmpty();
    for (ObjectInfo info : await(store.list(at, null, 1_000)).objects()) {
      assertThat(info).isEqualTo(await(store.head(info.key())));
    }
  }

  @Test
  void aListingBeginsBehindAnyKey() throws Exception {
    List<String> keys =
        IntStream.range(0, 30).mapToObj(i -> at + "k/" + i + "/x").sorted().toList();
    for (String key : keys) {
      put(store, key, new byte[1], PutCondition.always());
    }
    List<String> folders = List.of(at + "k", at + "k/1");
    List<String> others = List.of(at + "k/1/x", at + "k/19/y", at + "k/3/w", at + "l");
    for (String behind :
        sortsFoldersByBareNames()
            ? others
            : Stream.concat(folders.stream(), others.stream()).toList()) {
      List<String> found =
          await(store.list(at, behind, 1_000)).objects().stream().map(ObjectInfo::key).toList();
      assertThat(found)
          .as("behind %s", behind)
          .isEqualTo(keys.stream().filter(key -> key.compareTo(behind) > 0).toList());
    }
  }

  private List<String> list(String prefix, int maxKeys) throws Exception {
    List<String> keys = new ArrayList<>();
    String after = null;
    while (true) {
      ObjectPage page = await(store.list(prefix, after, maxKeys));
      page.objects().forEach(object -> keys.add(object.key()));
      assertThat(page.objects()).hasSizeLessThanOrEqualTo(maxKeys);
      if (page.isLast()) {
        return keys;
      }
      after = page.objects().getLast().key();
    }
  }

  @Test
  void whatIsDeletedIsGone() throws Exception {
    for (int i = 0; i < 20; i++) {
      put(store, at + "k" + i, new byte[i], PutCondition.always());
    }
    List<String> gone = IntStream.range(0, 10).mapToObj(i -> at + "k" + i).toList();

    assertThat(await(store.delete(gone))).isEmpty();
    assertThat(await(store.delete(gone))).as("again").isEmpty();
    assertThat(await(store.delete(List.of()))).isEmpty();

    assertThat(list(at, 1_000)).hasSize(10).doesNotContainAnyElementsOf(gone);
    assertThatThrownBy(() -> await(store.head(at + "k0")))
        .isInstanceOf(NoSuchObjectException.class);
    put(store, at + "k0", new byte[5], PutCondition.ifAbsent());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "a/",
        "/a",
        "a//b",
        ".",
        "..",
        "a/..",
        "./a",
        "a/./b",
        "A",
        "ä",
        "a b",
        "a\u0000",
        "日本",
        "a\\b",
        "a~",
        "a%2f",
        "\ud83d\ude00",
        "a\n",
        "a?b",
        "a+b"
      })
  void aKeyOfOtherCharactersIsRefused(String key) {
    ObjectContent content = ObjectContent.of(MemorySegment.ofArray(new byte[1]));
    assertThatThrownBy(() -> store.put(key, content, PutCondition.always()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.head(key)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.read(key, null, 0, target(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.delete(List.of(key)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.localFile(key)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void keysAndCallsHaveLimits() throws Exception {
    String part = "a".repeat(ObjectKeys.MAX_PART_LENGTH);
    String longest = (at + part + "/" + part + "/" + part).substring(0, ObjectKeys.MAX_LENGTH);
    put(store, longest, bytes(19, 10), PutCondition.ifAbsent());
    assertThat(read(store, longest, 0, 10)).isEqualTo(bytes(19, 10));
    assertThat(list(at, 10)).containsExactly(longest);

    assertThatThrownBy(() -> store.head(longest + "a"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.head(part + "a")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.list(at, null, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.list(at, null, 1_001))
        .isInstanceOf(IllegalArgumentException.class);
    List<String> tooMany = IntStream.range(0, 1_001).mapToObj(i -> at + i).toList();
    assertThatThrownBy(() -> store.delete(tooMany)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aTargetIsLeftAloneOnceItsReadHasEnded() throws Exception {
    byte[] bytes = bytes(20, 2 << 20);
    put(store, at + "a", bytes, PutCondition.always());
    Random random = new Random(20);
    List<MemorySegment> targets = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      MemorySegment target = target(1 << 20);
      Request<Void> read = store.read(at + "a", null, random.nextInt(1 << 20), target);
      for (long spins = random.nextLong(1 << 16); spins > 0; spins--) {
        Thread.onSpinWait();
      }
      read.cancel();
      awaitEnd(read);
      targets.add(target.fill((byte) 0x5a));
    }
    assertThat(read(store, at + "a", 0, bytes.length)).isEqualTo(bytes);

    MemorySegment pattern = target(1 << 20).fill((byte) 0x5a);
    assertThat(targets).allSatisfy(target -> assertThat(target.mismatch(pattern)).isEqualTo(-1));
  }

  @Test
  void contentIsLeftAloneOnceItsWriteHasEnded() throws Exception {
    Random random = new Random(21);
    MemorySegment bytes = nativeBytes(21, 1 << 20);
    byte[] before = bytes.toArray(ValueLayout.JAVA_BYTE);
    MemorySegment content = target(1 << 20);
    for (int i = 0; i < 20; i++) {
      content.copyFrom(bytes);
      Request<ObjectInfo> write =
          store.put(at + i, ObjectContent.of(content), PutCondition.ifAbsent());
      for (long spins = random.nextLong(1 << 16); spins > 0; spins--) {
        Thread.onSpinWait();
      }
      write.cancel();
      awaitEnd(write);
      content.fill((byte) 0x5a);
    }
    for (ObjectInfo written : await(store.list(at, null, 1_000)).objects()) {
      assertThat(read(store, written.key(), 0, 1 << 20)).as(written.key()).isEqualTo(before);
    }
  }

  @Test
  void aClosedStoreTakesNothing() throws Exception {
    ObjectStore other = open();
    other.close();

    assertThatThrownBy(() -> await(other.head(at + "a")))
        .isInstanceOf(ObjectStoreException.class)
        .isNotInstanceOf(NoSuchObjectException.class);
    other.close();
  }

  @Test
  void closingEndsWhatIsUnderWay() throws Exception {
    put(store, at + "a", bytes(22, 1 << 20), PutCondition.always());
    ObjectStore other = open();
    List<Request<Void>> reads =
        IntStream.range(0, 100)
            .mapToObj(i -> other.read(at + "a", null, 0, target(1 << 20)))
            .toList();
    other.close();

    assertThat(reads).allMatch(read -> read.done().isDone());
  }
}
