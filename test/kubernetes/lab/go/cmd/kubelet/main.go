// The kubelet of the lab runs pods as local processes: a network namespace per pod, a root file system per container.
// Around it, it stands in for what a small cluster has besides: the scheduler, kube-proxy, the cluster's DNS, and the
// addresses of load balancers.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// settings of the node; its network was made by whoever started this program.
type settings struct {
	kubeconfig string
	imagesFile string
	folder     string
	nodeName   string
	nodeIP     string
	bridge     string
	reserved   string
	port       int
}

func parseFlags() settings {
	var s settings
	flag.StringVar(&s.kubeconfig, "kubeconfig", "", "file")
	flag.StringVar(&s.imagesFile, "images", "", "table of images, as JSON")
	flag.StringVar(&s.folder, "folder", "", "for volumes and logs of pods")
	flag.StringVar(&s.nodeName, "node", "lab", "name of the node")
	flag.StringVar(&s.nodeIP, "node-ip", "10.244.0.1", "address of the bridge")
	flag.StringVar(&s.bridge, "bridge", "cni0", "bridge of the pods")
	flag.StringVar(&s.reserved, "reserved-address", "10.245.255.254", "address that no load balancer gets")
	flag.IntVar(&s.port, "port", 10250, "port of the kubelet's API")
	flag.Parse()
	return s
}

func main() {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "container": // the first process of a container, before it becomes the container's program
			startProgram(os.Args[2])
			return
		case "beside": // a command that is executed in a container
			startBeside(os.Args[2], os.Args[3:])
			return
		case "pause": // owns the namespaces of a pod
			end := make(chan os.Signal, 1)
			signal.Notify(end, syscall.SIGTERM, syscall.SIGINT)
			<-end
			return
		case "dns": // the program of CoreDNS' image
			serveAnyName()
			return
		}
	}
	s := parseFlags()
	log.SetFlags(log.Ltime | log.Lmicroseconds)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, s); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, s settings) error {
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 200, 400
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	node := &node{settings: s, client: client}
	if err := node.register(ctx); err != nil {
		return err
	}
	store := newStore(factory)
	pods := newPods(node, store)
	services := &services{node: node, store: store, refused: map[types.UID]string{}}

	pods.watch()
	services.watch()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	errs := make(chan error, 3)
	go func() { errs <- serveAPI(node, pods) }()
	go func() { errs <- serveNames(s.nodeIP+":53", store) }()
	go services.run(ctx)
	go node.refresh(ctx)
	log.Printf("ready: node %s", s.nodeName)
	select {
	case err := <-errs:
		return err
	case <-ctx.Done():
		pods.killAll()
		return nil
	}
}
