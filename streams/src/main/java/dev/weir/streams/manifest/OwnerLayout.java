package dev.weir.streams.manifest;

import dev.weir.streams.layout.DamagedObjectException;
import dev.weir.streams.layout.Decoder;
import dev.weir.streams.layout.Encoder;
import dev.weir.streams.layout.Envelope;

/**
 * How the owner looks, inside its {@link Envelope}.
 *
 * <pre>
 * +----------+---------+--------+
 * | nonce 16 | epoch v | host s |   v: a varint, s: a string
 * +----------+---------+--------+
 * </pre>
 */
public final class OwnerLayout {
  private static final Envelope ENVELOPE = new Envelope("WEIROWN1", 1);

  private OwnerLayout() {}

  /** The whole object. */
  public static byte[] encode(Owner owner) {
    return ENVELOPE.seal(
        new Encoder().putUuid(owner.nonce()).putVarint(owner.epoch()).putString(owner.host()));
  }

  /** The owner that an object holds. */
  public static Owner decode(byte[] object) throws DamagedObjectException {
    Decoder in = ENVELOPE.open(Owner.KEY, object);
    Owner owner = new Owner(in.getUuid(), in.getVarint(), in.getString());
    in.checkEnd();
    return owner;
  }
}
