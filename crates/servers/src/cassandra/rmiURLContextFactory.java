package bakeoff.rmi;

import java.net.URI;
import java.rmi.NotBoundException;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.util.Hashtable;
import javax.naming.Context;
import javax.naming.InitialContext;
import javax.naming.Name;
import javax.naming.NamingException;
import javax.naming.spi.ObjectFactory;

/**
 * Looks names such as {@code rmi://127.0.0.1:7199/jmxrmi} up, as the module {@code jdk.naming.rmi}
 * does where a Java has it. JNDI finds this class by its name.
 */
public final class rmiURLContextFactory implements ObjectFactory {
    @Override
    public Object getObjectInstance(
            Object object, Name name, Context context, Hashtable<?, ?> environment)
            throws NamingException {
        return new Registry();
    }

    private static final class Registry extends InitialContext {
        Registry() throws NamingException {
            super(true);
        }

        @Override
        public Object lookup(String url) throws NamingException {
            URI uri = URI.create(url);
            String name = uri.getPath().substring(1);
            try {
                return LocateRegistry.getRegistry(uri.getHost(), uri.getPort()).lookup(name);
            } catch (RemoteException | NotBoundException error) {
                NamingException failure = new NamingException("no answer to " + url);
                failure.setRootCause(error);
                throw failure;
            }
        }
    }
}
