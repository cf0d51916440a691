package dev.weir.streams.flush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.manifest.Commit;
import dev.weir.streams.manifest.FencedException;
import dev.weir.streams.manifest.StreamHeader;
import dev.weir.streams.objects.ObjectContent.InFile;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.recovery.Doctor;
import dev.weir.streams.recovery.Ownership;
import dev.weir.streams.recovery.StoreProcess;
import dev.weir.streams.testing.MapStore;
import dev.weir.streams.testing.MapStore.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One frozen set: segments, then one commit. */
class FlushTest {
  private final MapStore store = new MapStore();

  @Test
  void streamsShareASegmentAndOneCommitNamesThem() throws IOException {
    StoreProcess process = new StoreProcess(store);
    StreamHeader a = process.create("a");
    StreamHeader b = process.create("b");
    process.append(b, 0, "first of b");
    process.append(a, 0, "all of a");
    process.append(b, 10, ", second of b");
    store.takeWrites();

    Flush.Result result = process.flush();

    assertThat(store.takeWrites()).hasSize(2).last().isEqualTo(Commit.key(2));
    assertThat(result.walPosition()).isEqualTo(5);
    assertThat(process.text(a)).isEqualTo("all of a");
    assertThat(process.text(b)).isEqualTo("first of b, second of b");
    process.manifests().checkInvariants();
  }

  @Test
  void changesWithoutBytesNeedNoSegment() throws IOException {
    StoreProcess process = new StoreProcess(store);
    StreamHeader a = process.create("a");
    store.takeWrites();
    process.flush();
    assertThat(store.takeWrites()).containsExactly(Commit.key(2));
    assertThat(process.read(a)).isEmpty();
  }

  @Test
  void bytesOfASpoolFileAreStoredAndLargeOnesCutIntoSegments(@TempDir Path directory)
      throws IOException {
    Path spool = Files.writeString(directory.resolve("spool"), "--" + "0123456789".repeat(10));
    StoreProcess process = new StoreProcess(store);
    process.maxSegmentBytes = 32;
    StreamHeader a = process.create("a");
    process.append(a, 0, "in memory ");
    process.pending.appended(
        new PendingChanges.Append(
            a.streamId(), a.shard(), 10, List.of(new InFile(spool, 2, 100)), true, "s", null));

    assertThat(process.flush().segments()).isEqualTo(4);
    assertThat(process.text(a)).isEqualTo("in memory " + "0123456789".repeat(10));
    assertThat(process.read(a, 25, 70)).hasSize(45).startsWith("5".getBytes());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void bytesOfAFileThatIsLostAreMissedAloneAndNamed(boolean isShort, @TempDir Path directory)
      throws IOException {
    Path spool = Files.writeString(directory.resolve("spool"), "lost bytes");
    StoreProcess process = new StoreProcess(store);
    StreamHeader a = process.create("a");
    StreamHeader b = process.create("b");
    process.append(a, 0, "before ");
    process.pending.appended(
        new PendingChanges.Append(
            a.streamId(), a.shard(), 7, List.of(new InFile(spool, 0, 10)), false, null, null));
    process.append(a, 17, " behind");
    process.append(b, 0, "all of b");
    Flush flush = process.freeze();
    if (isShort) {
      Files.writeString(spool, "lost");
    } else {
      Files.delete(spool);
    }

    assertThatThrownBy(flush::attempt).isInstanceOf(IOException.class);
    flush.attempt();

    assertThat(process.text(b)).isEqualTo("all of b");
    assertThat(process.read(a, 0, 7)).isEqualTo("before ".getBytes());
    assertThat(process.read(a, 17, 24)).isEqualTo(" behind".getBytes());
    assertThatThrownBy(() -> process.read(a, 6, 8))
        .isInstanceOf(DamagedObjectException.class)
        .hasMessageContaining("missing");
    process.manifests().checkInvariants();
    StoreProcess next = new StoreProcess(store);
    assertThat(next.read(a, 17, 24)).isEqualTo(" behind".getBytes());
    assertThat(Doctor.examine(store).damages())
        .singleElement()
        .satisfies(damage -> assertThat(damage.streams()).containsExactly("a"));
  }

  @Test
  void aStreamThatIsGoneBeforeItsFlushLeavesNothing() throws IOException {
    StoreProcess process = new StoreProcess(store);
    StreamHeader a = process.create("a");
    process.append(a, 0, "bytes");
    process.pending.removed(a.streamId(), a.shard(), 5);
    assertThat(process.pending.isEmpty()).isTrue();
    assertThat(process.pending.dataBytes()).isZero();
  }

  @Test
  void nothingIsFlushedUntilTheCommitIsThere() throws IOException {
    StoreProcess process = new StoreProcess(store);
    StreamHeader a = process.create("a");
    process.append(a, 0, "bytes");
    Flush flush = process.freeze();
    store.failAfter(1, Failure.BEFORE, /* andStayDown= */ true);

    assertThatThrownBy(flush::attempt).isInstanceOf(ObjectStoreException.class);
    assertThat(process.manifests().find(a.shard(), a.streamId())).isNull();
    assertThat(process.manifests().walPosition()).isZero();

    store.repair();
    store.takeWrites();
    assertThat(flush.attempt().walPosition()).isEqualTo(2);
    assertThat(store.takeWrites()).as("the segment is there already").hasSize(1);
    assertThat(process.text(a)).isEqualTo("bytes");
  }

  @ParameterizedTest
  @EnumSource(Failure.class)
  void aCommitWithoutAnAnswerIsReadBackOrWrittenAgain(Failure failure) throws IOException {
    StoreProcess process = new StoreProcess(store);
    StreamHeader a = process.create("a");
    process.append(a, 0, "bytes");
    Flush flush = process.freeze();
    store.failAfter(1, failure, /* andStayDown= */ true);
    assertThatThrownBy(flush::attempt).isInstanceOf(ObjectStoreException.class);
    store.repair();

    assertThat(flush.attempt().commit().sequence()).isEqualTo(2);
    assertThat(flush.attempt().commit().sequence()).isEqualTo(2);
    assertThat(process.text(a)).isEqualTo("bytes");
    assertThat(store.keys(Commit.PREFIX)).hasSize(2);
  }

  @Test
  void aCommitWhoseAnswerWasLostCountsAtOnceWhenItIsReadBack() throws IOException {
    StoreProcess process = new StoreProcess(store);
    process.create("a");
    store.failAfter(0, Failure.AFTER, /* andStayDown= */ false);
    assertThat(process.freeze().attempt().commit().sequence()).isEqualTo(2);
  }

  @Test
  void anUndecidedCommitIsSettledBeforeTheNext() throws IOException {
    StoreProcess process = new StoreProcess(store);
    StreamHeader a = process.create("a");
    Flush first = process.freeze();
    store.failAfter(0, Failure.AFTER, /* andStayDown= */ true);
    assertThatThrownBy(first::attempt).isInstanceOf(ObjectStoreException.class);
    store.repair();
    process.append(a, 0, "later");

    assertThat(process.flush().commit().sequence()).isEqualTo(3);
    assertThat(first.attempt().commit().sequence()).isEqualTo(2);
    assertThat(process.text(a)).isEqualTo("later");
  }

  @Test
  void aNodeWhoseStoreWasTakenOverLearnsItAtItsNextCommit() throws IOException {
    StoreProcess old = new StoreProcess(store);
    old.create("a");
    old.flush();
    Ownership.Claim claim = new Ownership.Claim(new UUID(2, 2), "there", true, false);
    StoreProcess next = new StoreProcess(store, claim, Flush.MAX_SEGMENT_BYTES, 0);
    next.create("b");
    next.flush();
    old.create("c");

    assertThatThrownBy(old::flush)
        .isInstanceOfSatisfying(
            FencedException.class, fenced -> assertThat(fenced.host()).isEqualTo("there"));
  }

  @Test
  void aNodeThatWakesUpLateFindsItsPlaceTakenAlthoughCommitsWereDeleted() throws IOException {
    StoreProcess old = new StoreProcess(store);
    old.create("a");
    old.flush();
    Ownership.Claim claim = new Ownership.Claim(new UUID(2, 2), "there", true, false);
    StoreProcess next = new StoreProcess(store, claim, Flush.MAX_SEGMENT_BYTES, 0);
    for (int i = 0; i < 40; i++) {
      next.create("b" + i);
      next.flush();
      next.upkeep.foldAll();
    }
    next.recovered.log().deleteFolded();
    assertThat(store.keys(Commit.PREFIX)).hasSizeLessThan(40);
    old.create("c");

    assertThatThrownBy(old::flush).isInstanceOf(FencedException.class);
    assertThat(new StoreProcess(store, claim, 1, 0).manifests().streams()).hasSize(41);
  }
}
