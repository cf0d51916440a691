package dev.weir.streams.manifest;

import dev.weir.streams.objects.NoSuchObjectException;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.ObjectStoreException;
import dev.weir.streams.objects.PreconditionFailedException;
import dev.weir.streams.objects.PutCondition;
import dev.weir.streams.objects.Requests;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The log of commits: one is written at a time, under a key that must not exist yet. Whoever finds
 * a foreign one there has lost the store.
 *
 * <p>The outcome of a write may stay unknown. Its place in the log is then neither free nor ours:
 * the same bytes are written again before anything else, until the store has decided.
 *
 * <p>For one thread, which may block.
 */
public final class CommitLog {
  /** Old commits are deleted in lots: one request for so many. */
  private static final int DELETE_LOT = 16;

  private final ObjectStore store;
  private final Session session;
  private final Manifests manifests;
  private final StoredCommits stored;
  private @Nullable Undecided undecided;
  private long publishedLogStart = 1;

  private record Undecided(CommitDraft draft, Commit commit) {}

  /**
   * Goes on behind a session's claim.
   *
   * @param manifests with everything applied, the claim included
   * @param stored the commits that are there
   */
  public CommitLog(ObjectStore store, Session session, Manifests manifests, StoredCommits stored) {
    this.store = store;
    this.session = session;
    this.manifests = manifests;
    this.stored = stored;
  }

  /** Who writes. */
  public Session session() {
    return session;
  }

  /** What the commits add up to. */
  public Manifests manifests() {
    return manifests;
  }

  /**
   * Commits a draft, and applies it. After an {@link ObjectStoreException} the outcome is unknown:
   * try again with the same draft.
   *
   * @throws FencedException where another node has the store
   */
  public Commit append(CommitDraft draft) throws IOException {
    settle();
    Commit committed = draft.committed();
    if (committed != null) {
      return committed;
    }
    Commit commit =
        draft.at(
            manifests.lastSequence() + 1,
            UUID.randomUUID(),
            session,
            manifests,
            manifests.logStart());
    undecided = new Undecided(draft, commit);
    settle();
    return commit;
  }

  /** Writes again what nobody knows of, if there is such a commit. */
  private void settle() throws IOException {
    Undecided open = undecided;
    if (open == null) {
      return;
    }
    put(store, open.commit());
    undecided = null;
    open.draft().markCommitted(open.commit());
    stored.add(open.commit());
    publishedLogStart = open.commit().logStart();
    manifests.apply(open.commit());
  }

  /**
   * Writes a commit where none is yet, and reads back what is there if that fails.
   *
   * @throws FencedException where a foreign one is there
   * @throws ObjectStoreException where nobody knows
   */
  private static void put(ObjectStore store, Commit commit) throws IOException {
    ObjectContent content = ObjectContent.of(MemorySegment.ofArray(CommitLayout.encode(commit)));
    try {
      Requests.await(store.put(Commit.key(commit.sequence()), content, PutCondition.ifAbsent()));
    } catch (PreconditionFailedException taken) {
      Commit found = read(store, commit.sequence());
      if (!found.nonce().equals(commit.nonce())) {
        throw fenced(store, found);
      }
    } catch (ObjectStoreException unknown) {
      readBack(store, commit, unknown);
    }
  }

  private static void readBack(ObjectStore store, Commit commit, ObjectStoreException unknown)
      throws IOException {
    Commit found;
    try {
      found = read(store, commit.sequence());
    } catch (NoSuchObjectException notYet) {
      // It may still arrive.
      throw unknown;
    } catch (ObjectStoreException away) {
      unknown.addSuppressed(away);
      throw unknown;
    }
    if (!found.nonce().equals(commit.nonce())) {
      throw fenced(store, found);
    }
  }

  /**
   * What is in the place that a session wanted.
   *
   * @param isOurs the session has begun; otherwise another commit came first
   */
  public record Claimed(Commit commit, boolean isOurs) {}

  /** Begins a session in the place behind the newest commit, if it is free. */
  public static Claimed claim(ObjectStore store, Owner owner, Manifests manifests)
      throws IOException {
    long sequence = manifests.lastSequence() + 1;
    Session session = new Session(0, owner, sequence);
    CommitDraft nothing = CommitDraft.flush(0, 0, List.of(), List.of());
    Commit claim =
        nothing.at(sequence, UUID.randomUUID(), session, manifests, manifests.logStart());
    ObjectContent content = ObjectContent.of(MemorySegment.ofArray(CommitLayout.encode(claim)));
    try {
      Requests.await(store.put(Commit.key(sequence), content, PutCondition.ifAbsent()));
      return new Claimed(claim, /* isOurs= */ true);
    } catch (PreconditionFailedException taken) {
      Commit found = read(store, sequence);
      return new Claimed(found, found.nonce().equals(claim.nonce()));
    }
  }

  /** Reads a commit. */
  public static Commit read(ObjectStore store, long sequence) throws IOException {
    return CommitLayout.decode(sequence, Requests.readAll(store, Commit.key(sequence)));
  }

  private static FencedException fenced(ObjectStore store, Commit found) throws IOException {
    Owner owner = OwnerLayout.decode(Requests.readAll(store, Owner.KEY));
    return new FencedException(owner.host(), found.epoch());
  }

  /** How many commits are not in all manifests yet. */
  public long unfoldedCommits() {
    return manifests.lastSequence() + 1 - manifests.logStart();
  }

  /**
   * Deletes commits that are in manifests, once there are enough of them; those that cannot be
   * deleted now are tried again with the next.
   */
  public void deleteFolded() throws IOException {
    List<Long> removable = stored.removable(publishedLogStart);
    if (removable.size() < DELETE_LOT) {
      return;
    }
    List<String> keys = removable.stream().map(Commit::key).toList();
    List<String> left =
        Requests.deleteAll(store, keys).stream().map(failure -> failure.key()).toList();
    for (long sequence : removable) {
      if (!left.contains(Commit.key(sequence))) {
        stored.remove(sequence);
      }
    }
  }
}
