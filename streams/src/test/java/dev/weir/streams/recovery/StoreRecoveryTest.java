package dev.weir.streams.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.manifest.Commit;
import dev.weir.streams.manifest.FencedException;
import dev.weir.streams.manifest.Owner;
import dev.weir.streams.manifest.Shards;
import dev.weir.streams.manifest.StreamHeader;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.segments.SegmentId;
import dev.weir.streams.testing.Flips;
import dev.weir.streams.testing.MapStore;
import dev.weir.streams.testing.MapStore.Failure;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** How a process begins with a store. */
class StoreRecoveryTest {
  private static final UUID OTHER = new UUID(2, 2);

  private final MapStore store = new MapStore();

  @Test
  void anotherNodeIsRefusedAndToldTheOwner() throws IOException {
    new StoreProcess(store);
    assertThatThrownBy(() -> open(OTHER, /* takesOver= */ false, false))
        .isInstanceOfSatisfying(
            OwnedByAnotherException.class, refusal -> assertThat(refusal.host()).isEqualTo("here"))
        .hasMessageContaining("--take-over");
    assertThat(Ownership.read(store).nonce()).isEqualTo(StoreProcess.NONCE);
  }

  @Test
  void theSameDirectoryTakesOverAtOnceInTheSameEpoch() throws IOException {
    new StoreProcess(store);
    assertThat(new StoreProcess(store).recovered.session().owner().epoch()).isEqualTo(1);
  }

  @Test
  void aTakeOverAndALostWalEachBeginAnEpoch() throws IOException {
    new StoreProcess(store);
    assertThat(open(OTHER, /* takesOver= */ true, false).recovered.session().owner())
        .isEqualTo(new Owner(OTHER, 2, "there"));
    assertThat(open(OTHER, false, /* withoutWal= */ true).recovered.session().owner().epoch())
        .isEqualTo(3);
    assertThatThrownBy(() -> new StoreProcess(store)).isInstanceOf(OwnedByAnotherException.class);
  }

  @Test
  void aCommitThatArrivesLateIsAppliedAndTheNextPlaceTaken() throws IOException {
    StoreProcess old = new StoreProcess(store);
    StreamHeader a = old.create("a");
    old.append(a, 0, "late");
    old.flush();
    byte[] late = store.bytes(Commit.key(2));
    store.remove(Commit.key(2));
    store.beforePutOf(Commit.key(2), () -> store.set(Commit.key(2), late));

    StoreRecovery.Recovered recovered = StoreRecovery.open(store, claim(OTHER, true, false));

    assertThat(recovered.session().claim()).isEqualTo(3);
    assertThat(recovered.manifests().find(a.shard(), a.streamId())).isNotNull();
  }

  @Test
  void anOldProcessFindsTheClaimInItsPlace() throws IOException {
    StoreProcess first = new StoreProcess(store);
    new StoreProcess(store);
    first.create("a");
    assertThatThrownBy(first::flush).isInstanceOf(FencedException.class);
  }

  @Test
  void manifestsAndLaterCommitsAddUpToWhatWasFlushed() throws IOException {
    StoreProcess process = new StoreProcess(store);
    StreamHeader a = process.create("a");
    StreamHeader b = process.create("b");
    process.append(a, 0, "one ");
    process.flush();
    process.upkeep.foldAll();
    process.append(a, 4, "two");
    process.append(b, 0, "only in a commit");
    process.flush();

    StoreProcess next = new StoreProcess(store);
    assertThat(next.text(a)).isEqualTo("one two");
    assertThat(next.text(b)).isEqualTo("only in a commit");
    assertThat(next.manifests().walPosition()).isEqualTo(process.walPosition);
    assertThat(next.manifests().nextStreamId()).isEqualTo(3);
    next.manifests().checkInvariants();
  }

  @Test
  void commitsGoOnceManifestsHoldThemAndAStartNeedsThemNoMore() throws IOException {
    StoreProcess process = new StoreProcess(store);
    StreamHeader a = process.create("a");
    long offset = 0;
    for (int i = 0; i < 100; i++) {
      process.append(a, offset, "x" + i);
      offset += ("x" + i).length();
      process.flush();
    }
    assertThat(store.keys(Commit.PREFIX)).hasSizeLessThan(60);
    StoreProcess next = new StoreProcess(store);
    assertThat(next.read(a)).hasSize((int) offset);
    next.manifests().checkInvariants();
  }

  @Test
  void segmentsWithoutACommitAreDeletedLast() throws IOException {
    StoreProcess process = new StoreProcess(store);
    StreamHeader a = process.create("a");
    process.append(a, 0, "kept");
    process.flush();
    process.append(a, 4, "never committed");
    store.failAfter(1, Failure.BEFORE, /* andStayDown= */ true);
    assertThatThrownBy(process::flush).isInstanceOf(ObjectStoreException.class);
    store.repair();
    assertThat(store.keys(SegmentId.PREFIX)).hasSize(2);

    StoreProcess next = new StoreProcess(store);
    next.append(a, 4, " and more");
    next.flush();
    assertThat(StoreRecovery.deleteOrphans(store, next.recovered)).isEqualTo(1);
    assertThat(next.text(a)).isEqualTo("kept and more");
    assertThat(store.keys(SegmentId.PREFIX)).hasSize(2);
  }

  @Test
  void aMissingCommitIsNamed() throws IOException {
    twoFlushesAndAManifest();
    store.remove(Commit.key(3));
    assertDamaged(Commit.key(3), "missing");
  }

  @Test
  void aFlippedByteInACommitIsNamed() throws IOException {
    twoFlushesAndAManifest();
    store.set(Commit.key(4), Flips.flip(store.bytes(Commit.key(4)), 40));
    assertDamaged(Commit.key(4), "checksum");
  }

  @Test
  void aMissingManifestIsNamed() throws IOException {
    String key = twoFlushesAndAManifest();
    store.remove(key);
    assertDamaged(key, "missing");
  }

  @Test
  void anOldCopyOfAManifestIsNamed() throws IOException {
    StoreProcess process = new StoreProcess(store);
    StreamHeader a = process.create("a");
    process.flush();
    process.upkeep.foldAll();
    String key = Shards.key(a.shard());
    byte[] copy = store.bytes(key);
    process.append(a, 0, "more");
    process.flush();
    process.upkeep.foldAll();
    process.append(a, 4, "still more");
    process.flush();
    store.set(key, copy);
    assertDamaged(key, "old copy");
  }

  @Test
  void commitsThatOnlyAManifestKnowsOfAreMissed() throws IOException {
    StoreProcess process = new StoreProcess(store);
    process.create("a");
    process.flush();
    process.upkeep.foldAll();
    store.remove(Commit.key(2));
    assertDamaged(Commit.key(2), "missing");
  }

  @Test
  void aMissingOwnerOfAStoreThatIsNotEmptyIsDamage() throws IOException {
    new StoreProcess(store);
    store.remove(Owner.KEY);
    assertDamaged(Owner.KEY, "missing");
  }

  @Test
  void aManifestThatWasStoredUnheardIsStoredAgain() throws IOException {
    StoreProcess process = new StoreProcess(store);
    StreamHeader a = process.create("a");
    process.flush();
    store.failAfter(0, Failure.AFTER, /* andStayDown= */ true);
    assertThatThrownBy(process.upkeep::foldAll).isInstanceOf(ObjectStoreException.class);
    store.repair();
    process.upkeep.foldAll();
    assertThat(store.keys(Shards.PREFIX)).containsExactly(Shards.key(a.shard()));
  }

  @Test
  void anOldOwnerCannotReplaceAManifestOfTheNewOne() throws IOException {
    StoreProcess old = new StoreProcess(store);
    StreamHeader a = old.create("a");
    old.flush();
    StoreProcess next = open(OTHER, /* takesOver= */ true, false);
    next.append(a, 0, "of the new owner");
    next.flush();
    next.upkeep.foldAll();
    byte[] manifest = store.bytes(Shards.key(a.shard()));

    assertThatThrownBy(old.upkeep::foldAll)
        .isInstanceOfSatisfying(
            FencedException.class, fenced -> assertThat(fenced.host()).isEqualTo("there"));
    assertThat(store.bytes(Shards.key(a.shard()))).isEqualTo(manifest);
  }

  @Test
  void aManifestThatAnOldOwnerStoresLateHoldsOnlyWhatWasCommitted() throws IOException {
    StoreProcess old = new StoreProcess(store);
    StreamHeader a = old.create("a");
    old.append(a, 0, "committed");
    old.flush();
    StoreProcess next = open(OTHER, /* takesOver= */ true, false);
    old.upkeep.foldAll();
    next.append(a, 9, ", and more");
    next.flush();
    next.upkeep.foldAll();
    next.append(a, 19, ".");
    next.flush();

    StoreProcess last = open(OTHER, false, false);
    assertThat(last.text(a)).isEqualTo("committed, and more.");
    last.manifests().checkInvariants();
  }

  /** Commits 2 to 4, of which 3 and 4 are in no manifest; returns the manifest's key. */
  private String twoFlushesAndAManifest() throws IOException {
    StoreProcess process = new StoreProcess(store);
    StreamHeader a = process.create("a");
    process.flush();
    process.upkeep.foldAll();
    for (String text : List.of("1", "2")) {
      process.append(a, text.equals("1") ? 0 : 1, text);
      process.flush();
    }
    return Shards.key(a.shard());
  }

  private void assertDamaged(String key, String reason) {
    assertThatThrownBy(() -> new StoreProcess(store))
        .isInstanceOfSatisfying(
            DamagedObjectException.class, damage -> assertThat(damage.key()).isEqualTo(key))
        .hasMessageContaining(reason);
  }

  private StoreProcess open(UUID nonce, boolean takesOver, boolean withoutWal) throws IOException {
    return new StoreProcess(store, claim(nonce, takesOver, withoutWal), 1 << 20, 0);
  }

  private static Ownership.Claim claim(UUID nonce, boolean takesOver, boolean withoutWal) {
    return new Ownership.Claim(nonce, "there", takesOver, withoutWal);
  }
}
