package dev.weir.streams.recovery;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.manifest.Commit;
import dev.weir.streams.manifest.Owner;
import dev.weir.streams.manifest.OwnerLayout;
import dev.weir.streams.manifest.Shards;
import dev.weir.streams.objects.NoSuchObjectException;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectInfo;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.PreconditionFailedException;
import dev.weir.streams.objects.PutCondition;
import dev.weir.streams.objects.Requests;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.UUID;

/**
 * Who may write to a store.
 *
 * <pre>
 * no owner ──────────► ours, epoch 1
 * ours ──────────────► ours, same epoch        (a new one if the WAL is lost)
 * another's ─────────► refused                 (take over: ours, next epoch)
 * </pre>
 */
public final class Ownership {
  private Ownership() {}

  /**
   * How to begin.
   *
   * @param nonce of the data directory
   * @param host of this node, for people
   * @param takesOver whether another's store may become ours
   * @param withoutWal whether what was not flushed is lost: a new epoch, since offsets may come
   *     again with other bytes
   */
  public record Claim(UUID nonce, String host, boolean takesOver, boolean withoutWal) {}

  /**
   * Makes a store ours; blocks.
   *
   * @throws OwnedByAnotherException where it is another's, and is not to be taken over
   * @throws DamagedObjectException where nobody owns it, but there is something in it
   */
  public static Owner acquire(ObjectStore store, Claim claim) throws IOException {
    ObjectInfo info;
    try {
      info = Requests.await(store.head(Owner.KEY));
    } catch (NoSuchObjectException none) {
      checkEmpty(store);
      return write(store, new Owner(claim.nonce(), 1, claim.host()), PutCondition.ifAbsent());
    }
    Owner found = OwnerLayout.decode(Requests.readAll(store, info));
    boolean ours = found.nonce().equals(claim.nonce());
    if (ours && !claim.withoutWal()) {
      return found;
    }
    if (!ours && !claim.takesOver()) {
      throw new OwnedByAnotherException(store.name(), found);
    }
    Owner next = new Owner(claim.nonce(), found.epoch() + 1, claim.host());
    return write(store, next, PutCondition.ifMatch(info.etag()));
  }

  /** The owner that a store names; blocks. */
  static Owner read(ObjectStore store) throws IOException {
    return OwnerLayout.decode(Requests.readAll(store, Owner.KEY));
  }

  private static Owner write(ObjectStore store, Owner owner, PutCondition condition)
      throws IOException {
    byte[] object = OwnerLayout.encode(owner);
    try {
      Requests.await(
          store.put(Owner.KEY, ObjectContent.of(MemorySegment.ofArray(object)), condition));
    } catch (PreconditionFailedException another) {
      Owner found = read(store);
      if (!found.equals(owner)) {
        throw new OwnedByAnotherException(store.name(), found);
      }
    }
    return owner;
  }

  private static void checkEmpty(ObjectStore store) throws IOException {
    for (String prefix : new String[] {Commit.PREFIX, Shards.PREFIX}) {
      if (!Requests.await(store.list(prefix, null, 1)).objects().isEmpty()) {
        throw new DamagedObjectException(
            Owner.KEY, 0, "it is missing, but %s is not empty; restore it".formatted(prefix));
      }
    }
  }
}
